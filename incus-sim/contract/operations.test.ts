import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isUnderWay, operationInstances } from '../../service/src/incus/operations.ts';
import { failsWith } from './assertions.ts';
import { createInstance, powerCut, settled, shutDown, start } from './guests.ts';
import { until, useTarget } from './target.ts';

const target = useTarget();

// They run concurrently, since they mostly wait.
describe('an operation', { concurrency: true }, () => {
  it('shows its subjects, is listed, and is forgotten 5 s after its end', async () => {
    const { client, names } = target;
    const { name } = await createInstance(target, 'operation');
    const askedAt = performance.now();
    const started = await client.instances.updateState(name, { action: 'start' });
    assert.equal(started.description, 'Starting instance');
    assert.equal(started.location, 'none');
    assert.ok(isUnderWay(started));
    assert.deepEqual(started.resources, {
      instances: [`/1.0/instances/${name}?project=${names.project}`],
    });
    const ended = await settled(client, Promise.resolve(started));
    assert.equal(ended.status, 'Success');
    assert.equal(ended.status_code, 200);
    assert.equal(ended.err, '');
    const listed = await client.operations.list();
    const own = listed.find(({ id }) => id === started.id);
    assert.ok(own);
    assert.deepEqual(operationInstances(own), [name]);
    // How much later it is forgotten depends on how busy the machine is.
    await until('it is forgotten', 30, async () => !(await client.operations.get(started.id)));
    const longestMs = performance.now() - askedAt;
    assert.ok(longestMs >= 5000, `kept for ${longestMs} ms at most`);
    const outcome = await client.operations.wait(started.id, { timeoutSeconds: 5 });
    assert.deepEqual(outcome, { outcome: 'vanished' });
    assert.ok(!(await client.operations.list()).some(({ id }) => id === started.id));
  });

  it('that failed has its error, as long as it is kept', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'failure');
    const { id } = await client.instances.updateState(name, { action: 'stop', force: true });
    const failed = client.operations.wait(id, { timeoutSeconds: 10 });
    await assert.rejects(failed, failsWith('busy', /^The instance is already stopped$/));
    const kept = await client.operations.get(id);
    assert.equal(kept?.status, 'Failure');
    assert.equal(kept?.status_code, 400);
    assert.equal(kept?.err, 'The instance is already stopped');
  });

  it('that does not exist is null, and waiting for it reports that it vanished', async () => {
    const { operations } = target.client;
    const id = '00000000-0000-0000-0000-000000000000';
    assert.equal(await operations.get(id), null);
    assert.deepEqual(await operations.wait(id, { timeoutSeconds: 5 }), { outcome: 'vanished' });
  });

  it('that takes longer than a wait continues', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'wait');
    await target.makeDeaf(name);
    await start(target, name);
    const change = { action: 'stop', force: false, graceSeconds: 3 } as const;
    const { id } = await client.instances.updateState(name, change);
    const tooShort = client.operations.wait(id, { timeoutSeconds: 1 });
    await assert.rejects(tooShort, failsWith('timeout', /still running after 1 s/));
    const running = await client.operations.get(id);
    assert.ok(running && isUnderWay(running));
    const whole = client.operations.wait(id, { timeoutSeconds: 10 });
    const words = /Failed shutting down instance, status is "Running": context deadline exceeded/;
    await assert.rejects(whole, failsWith('timeout', words));
    assert.equal((await client.instances.get(name))?.status, 'Running');
  });

  it('that waits for a guest leaves it running, and a forced stop supersedes it', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'deaf');
    await target.makeDeaf(name);
    await start(target, name);
    // Incus thaws a frozen guest so that it receives the request, and does not freeze it again.
    await target.administrator.freeze(name);
    await assert.rejects(shutDown(target, name, 1), failsWith('timeout', /status is "Running"/));
    assert.equal((await client.instances.get(name))?.status, 'Running');
    const change = { action: 'stop', force: false, graceSeconds: 60 } as const;
    const graceful = await client.instances.updateState(name, change);
    await assert.rejects(start(target, name), failsWith('busy', /already running/));
    await powerCut(target, name);
    await settled(client, Promise.resolve(graceful));
    assert.equal((await client.instances.get(name))?.status, 'Stopped');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operationInstances } from '../../service/src/incus/operations.ts';
import { follow, isLifecycle } from './follow.ts';
import { createInstance, powerCut, removeAfterwards, settled, shutDown, start } from './guests.ts';
import { newName, until, useTarget } from './target.ts';

const target = useTarget();

// Most of their time is waiting, each for its own instance.
describe('events', { concurrency: true }, () => {
  it('tell in order what happens to an instance, in its project only', async () => {
    const { client, administrator, names } = target;
    const seen = await follow(target);
    const elsewhere = await follow(target, 'default');
    const { name } = await createInstance(target, 'events');
    await start(target, name);
    await settled(client, client.instances.updateState(name, { action: 'restart', force: true }));
    await administrator.freeze(name);
    await administrator.unfreeze(name);
    await powerCut(target, name);
    const renamed = newName('events-renamed');
    removeAfterwards(target, renamed);
    await administrator.rename(name, renamed);
    await settled(client, client.instances.delete(renamed));
    const expected = ['created', 'started', 'restarted', 'paused', 'resumed', 'stopped'];
    const actions = () =>
      seen
        .filter(isLifecycle)
        .filter(({ instance }) => instance === name || instance === renamed)
        .map(({ action }) => action);
    await until('the last event', 5, () => actions().includes('instance-deleted'));
    assert.deepEqual(
      actions(),
      [...expected, 'renamed', 'deleted'].map((word) => `instance-${word}`),
    );
    const last = seen.filter(isLifecycle).findLast(({ instance }) => instance === renamed);
    assert.equal(last?.project, names.project);
    assert.equal(last?.location, 'none');
    assert.equal(last?.source, `/1.0/instances/${renamed}?project=${names.project}`);
    assert.ok(Math.abs(Date.parse(last?.timestamp ?? '') - Date.now()) < 60_000);
    assert.deepEqual(
      elsewhere.filter(isLifecycle).filter(({ instance }) => instance !== undefined),
      [],
    );
  });

  it('tell how an operation begins and ends', async () => {
    const seen = await follow(target);
    const { name } = await createInstance(target, 'operation-events');
    await start(target, name);
    await start(target, name).catch(() => {});
    const statuses = () =>
      seen.flatMap((event) =>
        event.type === 'operation' &&
        event.operation.description === 'Starting instance' &&
        operationInstances(event.operation).includes(name)
          ? [event.operation.status]
          : [],
      );
    await until('the last event', 5, () => statuses().length === 6);
    // Incus sends them from several threads: their order says nothing.
    const twice = ['Pending', 'Running'].flatMap((status) => [status, status]);
    assert.deepEqual(statuses().sort(), ['Failure', ...twice, 'Success'].sort());
  });

  it('call the end of a guest that was asked a shutdown', async () => {
    const { client } = target;
    const seen = await follow(target);
    const { name, devices } = await createInstance(target, 'shutdown');
    await start(target, name);
    await until('its address is up', 30, async () => {
      const state = await client.instances.getState(name);
      const addresses = state?.network?.eth0?.addresses ?? [];
      return addresses.some(({ address }) => address === devices.eth0?.['ipv4.address']);
    });
    await shutDown(target, name, 20);
    assert.equal((await client.instances.get(name))?.status, 'Stopped');
    const own = () => seen.filter(isLifecycle).filter(({ instance }) => instance === name);
    await until('the last event', 5, () => own().length === 3);
    const actions = own().map(({ action }) => action);
    assert.deepEqual(actions, ['instance-created', 'instance-started', 'instance-shutdown']);
  });
});

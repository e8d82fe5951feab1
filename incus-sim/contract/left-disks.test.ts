import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machineArchitecture } from '../../service/src/operating-systems/catalogue.ts';
import { failsWith } from './assertions.ts';
import { createInstance, removeAfterwards, settled } from './guests.ts';
import { until, useTarget } from './target.ts';

const target = useTarget();

const diskOf = (name: string) =>
  target.client.storage.getVolume(target.names.pool, { type: 'container', name });

/** The name of an instance whose record is gone, and whose disk still exists. */
async function left(what: string) {
  const wanted = await createInstance(target, what);
  await target.forget(wanted.name);
  assert.equal(await target.client.instances.get(wanted.name), null);
  assert.equal((await diskOf(wanted.name))?.name, wanted.name);
  return wanted;
}

/**
 * Creates its record, as for an instance that is to be received from another Incus, which never
 * sends it.
 */
const awaitInstance = (name: string) =>
  target.client.instances.create({
    ...{ name, type: 'container', profiles: [], architecture: machineArchitecture() },
    source: { type: 'migration', mode: 'push' },
    config: { 'user.contract.left': name },
    devices: { root: { type: 'disk', path: '/', pool: target.names.pool } },
  });

const empty = (name: string) => settled(target.client, target.client.instances.replaceDisk(name));

/** Creates an instance for it, which is deleted like any other. */
async function remove(name: string): Promise<void> {
  const { instances } = target.client;
  await awaitInstance(name);
  await empty(name);
  await settled(target.client, instances.rename(name, `${name}-left`));
  await settled(target.client, instances.delete(`${name}-left`));
  assert.equal(await diskOf(name), null);
  assert.equal(await diskOf(`${name}-left`), null);
}

describe('a disk without an instance', () => {
  it('can not be deleted, and blocks its name', async () => {
    const { client, names } = target;
    const wanted = await left('refused');
    const { name } = wanted;
    const refused = client.storage.deleteVolume(names.pool, { type: 'container', name });
    await assert.rejects(refused, failsWith('invalid', /cannot be deleted with the storage API/));
    const again = settled(client, client.instances.create(wanted));
    await assert.rejects(again, failsWith('already_exists', /Error inserting volume/));
    assert.equal(await client.instances.get(name), null);
    await remove(name);
  });

  it('is deleted with an instance that was created for a migration, emptied and renamed', async () => {
    const { client } = target;
    const { name } = await left('adopted');
    removeAfterwards(target, `${name}-left`);
    const operation = await awaitInstance(name);
    assert.equal(operation.class, 'websocket');
    const { status, config } = (await client.instances.get(name)) ?? {};
    assert.deepEqual([status, config?.['user.contract.left']], ['Stopped', name]);
    // Incus locks it until it is received.
    const refused = settled(client, client.instances.delete(name));
    await assert.rejects(refused, failsWith('busy', /is busy running a "create" operation/));
    await assert.rejects(awaitInstance(name), failsWith('busy', /"create" operation/));
    await empty(name);
    await settled(client, client.instances.rename(name, `${name}-left`));
    const found = await client.instances.get(`${name}-left`);
    assert.deepEqual([found?.status, found?.config['user.contract.left']], ['Stopped', name]);
    assert.equal(await client.instances.get(name), null);
    assert.equal(await diskOf(name), null);
    await settled(client, client.instances.delete(`${name}-left`));
    assert.equal(await diskOf(`${name}-left`), null);
    // Its name is still locked.
    await assert.rejects(awaitInstance(name), failsWith('busy', /"create" operation/));
  });

  it('stays if that is interrupted, and the record disappears by itself', async () => {
    const { client } = target;
    const { name } = await left('cut-short');
    const { id } = await awaitInstance(name);
    await empty(name);
    await until('its record is gone', 60, async () => !(await client.instances.get(name)));
    const ended = client.operations.wait(id, { timeoutSeconds: 10 });
    await assert.rejects(ended, failsWith('timeout', /migration control connection/));
    assert.equal((await diskOf(name))?.name, name);
    await assert.rejects(client.instances.replaceDisk(name), failsWith('not_found'));
    await remove(name);
  });
});

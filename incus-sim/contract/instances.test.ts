import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failsWith } from './assertions.ts';
import {
  createInstance,
  definition,
  ending,
  powerCut,
  removeAfterwards,
  settled,
  start,
} from './guests.ts';
import { newName, until, useTarget } from './target.ts';

const target = useTarget();

describe('a create', () => {
  it('creates a stopped instance with a disk', async () => {
    const { client, names } = target;
    const { name, devices } = await createInstance(target, 'made');
    const found = await client.instances.get(name);
    assert.ok(found);
    assert.equal(found.status, 'Stopped');
    assert.equal(found.status_code, 102);
    assert.equal(found.type, 'container');
    assert.equal(found.location, 'none');
    assert.equal(found.project, names.project);
    assert.deepEqual(found.devices, devices);
    assert.deepEqual(found.profiles, []);
    assert.equal(found.config['limits.memory'], '256MiB');
    assert.equal(found.config['volatile.base_image'], target.image);
    assert.ok(Date.now() - Date.parse(found.created_at) < 60_000);
    assert.equal(Date.parse(found.last_used_at), 0);
    const listed = await client.instances.list();
    assert.deepEqual(
      listed.find((instance) => instance.name === name),
      found,
    );
    const volumes = await client.storage.listVolumes(names.pool);
    const disk = volumes.find((volume) => volume.name === name);
    assert.equal(disk?.type, 'container');
    assert.equal(disk?.location, 'none');
    assert.equal(disk?.project, names.project);
    assert.deepEqual(disk?.used_by, [`/1.0/instances/${name}?project=${names.project}`]);
  });

  it('with a name that is taken fails, and leaves the first one', async () => {
    const { client } = target;
    const wanted = await createInstance(target, 'twice');
    const again = settled(client, client.instances.create(wanted));
    await assert.rejects(again, failsWith('already_exists'));
    assert.equal((await client.instances.get(wanted.name))?.status, 'Stopped');
  });

  it('with one name, twice concurrently, creates one instance', async () => {
    const { client } = target;
    const wanted = await definition(target, newName('at-once'));
    removeAfterwards(target, wanted.name);
    const create = () => ending(settled(client, client.instances.create(wanted)));
    const ends = await Promise.all([create(), create()]);
    const failures = ends.filter((error) => error !== undefined);
    assert.equal(failures.length, 1);
    failsWith(['busy', 'already_exists'])(failures[0]);
    assert.equal((await client.instances.get(wanted.name))?.status, 'Stopped');
  });

  it('may have an address of another instance, and then does not start', async () => {
    const { client } = target;
    const first = await createInstance(target, 'address');
    const { eth0, root } = first.devices;
    const second = await definition(target, newName('address'));
    assert.ok(eth0 && root && second.devices.eth0);
    const address = { 'ipv4.address': eth0['ipv4.address'] ?? '' };
    const devices = { root, eth0: { ...second.devices.eth0, ...address } };
    removeAfterwards(target, second.name);
    await settled(client, client.instances.create({ ...second, devices }));
    const refused = /IP address ".*" already defined on another NIC/;
    await assert.rejects(start(target, second.name), failsWith('invalid', refused));
    assert.equal((await client.instances.get(second.name))?.status, 'Stopped');
  });

  it('with something that does not exist says so, and creates nothing', async () => {
    const { client } = target;
    const wanted = await definition(target, newName('missing'));
    const { root, eth0 } = wanted.devices;
    assert.ok(root && eth0);
    removeAfterwards(target, wanted.name);
    const refusedWith = async (
      changes: Partial<typeof wanted>,
      ...expected: Parameters<typeof failsWith>
    ) => {
      const create = settled(client, client.instances.create({ ...wanted, ...changes }));
      await assert.rejects(create, failsWith(...expected));
      assert.equal(await client.instances.get(wanted.name), null);
    };
    const unknownImage = { type: 'image', fingerprint: 'ab'.repeat(32) } as const;
    await refusedWith({ source: unknownImage }, 'not_found', /Image not provided/);
    const unknownAlias = { type: 'image', alias: 'contract-nothing' } as const;
    await refusedWith({ source: unknownAlias }, 'not_found', /Image not provided/);
    const unknownNetwork = { ...eth0, network: 'contract-none' };
    await refusedWith(
      { devices: { root, eth0: unknownNetwork } },
      'invalid',
      /Failed to load network "contract-none".*Network not found/,
    );
    const unknownPool = { ...root, pool: 'contract-none' };
    await refusedWith(
      { devices: { root: unknownPool, eth0 } },
      'not_found',
      /Storage pool not found/,
    );
    await refusedWith({ config: { 'limits.cpuu': '1' } }, 'invalid', /Unknown configuration key/);
  });

  it('with a malformed name is refused at once', async () => {
    const wanted = await definition(target, 'contract_name');
    const create = target.client.instances.create(wanted);
    await assert.rejects(create, failsWith('invalid', /Invalid instance name/));
  });
});

describe('an instance that does not exist', () => {
  const name = 'contract-nobody';

  it('is null, or not found', async () => {
    const { instances, files } = target.client;
    assert.equal(await instances.get(name), null);
    assert.equal(await instances.getState(name), null);
    assert.equal(await files.pull(name, '/etc/hostname', 100), null);
    const words = /Instance not found/;
    await assert.rejects(
      instances.updateState(name, { action: 'start' }),
      failsWith('not_found', words),
    );
    await assert.rejects(instances.delete(name), failsWith('not_found', words));
    const folder = { type: 'directory', uid: 0, gid: 0, mode: 0o700 } as const;
    await assert.rejects(files.push(name, '/srv/x', folder), failsWith('not_found', words));
  });
});

describe('an instance that is already in the requested state', () => {
  it('fails to stop and to restart as busy while it is stopped', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'stopped');
    await assert.rejects(powerCut(target, name), failsWith('busy', /already stopped/));
    const restart = client.instances.updateState(name, { action: 'restart', force: true });
    await assert.rejects(settled(client, restart), failsWith('busy', /already stopped/));
    await assert.rejects(target.administrator.freeze(name), failsWith('busy', /isn't running/));
  });

  it('fails to start, and is not deleted, while it runs', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'running');
    await start(target, name);
    await assert.rejects(start(target, name), failsWith('busy', /already running/));
    await assert.rejects(client.instances.delete(name), failsWith('busy', /Instance is running/));
    const renamed = target.administrator.rename(name, newName('renamed'));
    await assert.rejects(renamed, failsWith('failed', /running instance not allowed/));
    assert.equal((await client.instances.get(name))?.status, 'Running');
  });
});

describe('two at once', () => {
  it('starts both succeed', async () => {
    const { name } = await createInstance(target, 'starts');
    const ends = await Promise.all([ending(start(target, name)), ending(start(target, name))]);
    for (const error of ends) if (error !== undefined) failsWith('busy', /already running/)(error);
    assert.ok(ends.includes(undefined));
    assert.equal((await target.client.instances.get(name))?.status, 'Running');
  });

  it('a stop before a start has ended fails, because the instance is stopped', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'start-stop');
    await until('a stop comes before the start has ended', 60, async () => {
      const starting = await client.instances.updateState(name, { action: 'start' });
      const refusal = await ending(powerCut(target, name));
      await settled(client, Promise.resolve(starting));
      // The start had ended, and the stop was carried out.
      if (refusal === undefined) return false;
      failsWith('busy', /already stopped/)(refusal);
      return true;
    });
  });

  it('deletes: one succeeds, the other gets an error', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'deletes');
    const remove = () => ending(settled(client, client.instances.delete(name)));
    const ends = await Promise.all([remove(), remove()]);
    const failures = ends.filter((error) => error !== undefined);
    assert.equal(failures.length, 1);
    failsWith(['busy', 'not_found'])(failures[0]);
    assert.equal(await client.instances.get(name), null);
  });
});

describe('a search', () => {
  it('finds instances by a value of their configuration, whatever their names', async () => {
    const { client, administrator } = target;
    const { name } = await createInstance(target, 'found');
    await createInstance(target, 'not-found');
    const label = crypto.randomUUID();
    const key = 'user.contract.label';
    assert.deepEqual(await client.instances.listWith(key, label), []);
    await client.instances.change(name, () => ({ config: { [key]: label } }));
    const renamed = newName('renamed');
    removeAfterwards(target, renamed);
    await administrator.rename(name, renamed);
    const found = await client.instances.listWith(key, label);
    assert.deepEqual(found, [await client.instances.get(renamed)]);
  });
});

describe('a root disk', () => {
  it('can be read separately, and is deleted only with its instance', async () => {
    const { client, names } = target;
    const { storage } = client;
    const { name } = await createInstance(target, 'disk');
    const disk = { type: 'container', name } as const;
    assert.equal((await storage.getVolume(names.pool, disk))?.name, name);
    const refused = storage.deleteVolume(names.pool, disk);
    await assert.rejects(refused, failsWith('invalid', /cannot be deleted with the storage API/));
    await settled(client, client.instances.delete(name));
    assert.equal(await storage.getVolume(names.pool, disk), null);
  });
});

describe('a change', () => {
  it('to the NIC of a running instance applies at once, and changes nothing else', async () => {
    const { client } = target;
    const { name, config, devices } = await createInstance(target, 'changed');
    await start(target, name);
    const before = await client.instances.get(name);
    const limit = { 'limits.ingress': '10Mbit' };
    await client.instances.change(name, ({ devices }) => ({
      config: { 'user.contract.note': '{"a": "b"}' },
      devices: { eth0: { ...devices.eth0, ...limit } },
    }));
    const held = await client.instances.get(name);
    assert.deepEqual(held?.devices, { ...devices, eth0: { ...devices.eth0, ...limit } });
    assert.equal(held?.config['user.contract.note'], '{"a": "b"}');
    assert.equal(held?.config['limits.memory'], config['limits.memory']);
    // It is the same run, and is counted on the same interface.
    const host = 'volatile.eth0.host_name';
    assert.ok(held?.config[host]);
    assert.equal(held?.config[host], before?.config[host]);
    assert.equal(held?.last_used_at, before?.last_used_at);
    await client.instances.change(name, ({ devices }) => {
      const { 'limits.ingress': _, ...eth0 } = devices.eth0 ?? {};
      return { config: { 'user.contract.note': '' }, devices: { eth0 } };
    });
    const free = await client.instances.get(name);
    assert.deepEqual(free?.devices, devices);
    assert.equal(free?.config['user.contract.note'], undefined);
    // Another run is counted on another interface.
    await powerCut(target, name);
    await start(target, name);
    const again = await client.instances.get(name);
    assert.ok(again?.config[host]);
    assert.notEqual(again?.config[host], before?.config[host]);
  });

  it('is refused if the instance was changed meanwhile', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'changed-twice');
    const change = (note: string) =>
      client.instances.change(name, () => ({ config: { 'user.contract.note': note } }));
    const ends = await Promise.all([ending(change('1')), ending(change('2')), ending(change('3'))]);
    for (const error of ends) if (error !== undefined) failsWith('busy', /ETag/)(error);
    assert.ok(ends.includes(undefined));
  });
});

describe('a delete', () => {
  it('removes the instance and its disk', async () => {
    const { client, names } = target;
    const { name } = await createInstance(target, 'deleted');
    await settled(client, client.instances.delete(name));
    assert.equal(await client.instances.get(name), null);
    const volumes = await client.storage.listVolumes(names.pool);
    assert.ok(!volumes.some((volume) => volume.name === name));
  });
});

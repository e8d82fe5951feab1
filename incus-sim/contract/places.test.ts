import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { instanceTypes } from '../../service/src/incus/transport/server.ts';
import { failsWith } from './assertions.ts';
import { definition, removeAfterwards, settled } from './guests.ts';
import { cleanUpWith, newName, useTarget } from './target.ts';

const target = useTarget();

describe('the server', () => {
  it('reports its version and resources', async () => {
    const { server } = target.client;
    const info = await server.info();
    assert.match(info.environment.server_version, /^\d+\.\d+/);
    assert.ok(info.environment.server_name.length > 0);
    assert.equal(info.environment.server_clustered, false);
    assert.ok(instanceTypes(info).includes('container'));
    assert.ok(info.api_extensions.includes('instances'));
    const drivers = info.environment.storage_supported_drivers.map(({ Name }) => Name);
    assert.ok(drivers.includes('btrfs') && drivers.includes('dir'));
    const resources = await server.resources();
    assert.ok(resources.cpu.total >= 1);
    assert.ok(resources.memory.total > resources.memory.used && resources.memory.used > 0);
  });

  it('has no members without a cluster', async () => {
    const { server } = target.client;
    await assert.rejects(server.members(), failsWith('invalid', /Server is not clustered/));
  });
});

describe('a project', () => {
  it('is created once, and deleted', async () => {
    const { projects } = target.client;
    const project = { name: newName('project'), description: 'Contract', config: {} };
    assert.equal(await projects.get(project.name), null);
    await projects.create(project);
    cleanUpWith(async () => {
      if (await projects.get(project.name)) await projects.delete(project.name);
    });
    const found = await projects.get(project.name);
    assert.equal(found?.description, 'Contract');
    assert.equal(found?.config['features.images'], 'true');
    assert.deepEqual(found?.used_by, [`/1.0/profiles/default?project=${project.name}`]);
    await assert.rejects(projects.create(project), failsWith('already_exists'));
    await projects.delete(project.name);
    assert.equal(await projects.get(project.name), null);
    await assert.rejects(projects.delete(project.name), failsWith('not_found'));
  });

  it('keeps our configuration along with its own', async () => {
    const { projects } = target.client;
    const name = newName('project');
    await projects.create({ name, description: '', config: { 'user.berth.one': '1' } });
    cleanUpWith(() => projects.delete(name));
    const before = await projects.get(name);
    assert.ok(before);
    const config = { ...before.config, 'user.berth.two': '2' };
    await projects.configure(before, config);
    assert.deepEqual(await projects.get(name), { ...before, config });
  });

  it('with an unknown setting is refused', async () => {
    const project = { name: newName('project'), description: '', config: { bogus: '1' } };
    const create = target.client.projects.create(project);
    await assert.rejects(create, failsWith('invalid', /configuration key "bogus"/));
  });

  it('that is not empty is not deleted', async () => {
    const { client, names } = target;
    const words = /Only empty projects/;
    await assert.rejects(client.projects.delete(names.project), failsWith('busy', words));
  });
});

describe('a storage pool', () => {
  it('is created once, and reports its space', async () => {
    const { client, administrator } = target;
    const config = { 'user.berth.one': '1' };
    const pool = { name: newName('pool'), driver: 'dir', description: 'Contract', config };
    assert.equal(await client.storage.getPool(pool.name), null);
    await client.storage.createPool(pool);
    cleanUpWith(() => administrator.deletePool(pool.name));
    const found = await client.storage.getPool(pool.name);
    assert.equal(found?.driver, 'dir');
    assert.equal(found?.config['user.berth.one'], '1');
    assert.equal(found?.status, 'Created');
    assert.deepEqual(found?.used_by, []);
    await assert.rejects(client.storage.createPool(pool), failsWith('already_exists'));
    const { space } = await client.storage.poolResources(pool.name);
    assert.ok(space.total > 0 && space.used < space.total);
    assert.deepEqual(await client.storage.listVolumes(pool.name), []);
  });

  it('that does not exist is not found', async () => {
    const { storage } = target.client;
    const missing = failsWith('not_found', /Storage pool not found/);
    await assert.rejects(storage.listVolumes('contract-none'), missing);
    await assert.rejects(storage.poolResources('contract-none'), missing);
  });

  it('does not delete the disk of an instance by itself', async () => {
    const { client, names } = target;
    const volume = { type: 'custom', name: 'contract-none' } as const;
    const remove = client.storage.deleteVolume(names.pool, volume);
    await assert.rejects(remove, failsWith('not_found', /Storage pool volume not found/));
  });
});

describe('a network', () => {
  it('is created once, and deleted if nothing uses it', async () => {
    const { client, names } = target;
    const { networks, instances } = client;
    // The end-to-end harness knows this name, and removes what is left of it.
    const name = `${names.network}c`;
    const network = {
      name,
      type: 'bridge' as const,
      description: 'Contract',
      config: { 'ipv4.address': 'none', 'ipv6.address': 'none', 'user.berth.one': '1' },
    };
    assert.equal(await networks.get(name), null);
    await networks.create(network);
    cleanUpWith(async () => {
      if (await networks.get(name)) await networks.delete(name);
    });
    const found = await networks.get(name);
    assert.equal(found?.managed, true);
    assert.equal(found?.status, 'Created');
    assert.equal(found?.type, 'bridge');
    assert.equal(found?.config['ipv4.address'], 'none');
    assert.equal(found?.config['user.berth.one'], '1');
    await assert.rejects(networks.create(network), failsWith('already_exists', /already exists/));

    const wanted = await definition(target, newName('on-network'));
    removeAfterwards(target, wanted.name);
    const eth0 = { type: 'nic', name: 'eth0', network: name };
    const { root } = wanted.devices;
    assert.ok(root);
    await settled(client, instances.create({ ...wanted, devices: { root, eth0 } }));
    const user = `/1.0/instances/${wanted.name}?project=${names.project}`;
    assert.deepEqual((await networks.get(name))?.used_by, [user]);
    await assert.rejects(networks.delete(name), failsWith('busy', /currently in use/));
    await settled(client, instances.delete(wanted.name));
    await networks.delete(name);
    assert.equal(await networks.get(name), null);
    await assert.rejects(networks.delete(name), failsWith('not_found'));
  });

  it('generates the addresses that are not set', async () => {
    const { client, names } = target;
    const network = await client.networks.get(names.network);
    assert.match(network?.config['ipv4.address'] ?? '', /^\d+\.\d+\.\d+\.\d+\/24$/);
    assert.match(network?.config['ipv6.address'] ?? '', /^fd.*\/64$/);
  });
});

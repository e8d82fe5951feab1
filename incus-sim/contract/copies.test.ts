import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IncusClient } from '../../service/src/incus/client.ts';
import type { NewInstance } from '../../service/src/incus/instances.ts';
import { failsWith } from './assertions.ts';
import { createInstance, definition, removeAfterwards, settled, start } from './guests.ts';
import { cleanUpWith, newName, useTarget } from './target.ts';

const target = useTarget();

const path = '/root/kept';
const file = { type: 'file', uid: 0, gid: 0, mode: 0o600, content: 'kept\n' } as const;

/** Another project, which is removed afterwards with what is in it. */
async function otherProject(): Promise<IncusClient> {
  const { client } = target;
  const name = newName('project');
  await client.projects.create({ name, description: '', config: {} });
  const other = client.inProject(name);
  cleanUpWith(async () => {
    for (const one of await other.instances.list())
      await settled(other, other.instances.delete(one.name));
    await client.projects.delete(name);
  });
  return other;
}

const copyOf = (
  { name, devices }: NewInstance,
  project: string,
  as: string,
  config: Record<string, string> = {},
): NewInstance => ({
  ...{ name: as, type: 'container', profiles: [], description: 'Copied', config, devices },
  source: { type: 'copy', source: name, project },
});

describe('a copy of an instance in another project', () => {
  it('has its disk and its keys, and what it was given; the source stays as it is', async () => {
    const { client, names } = target;
    const made = await createInstance(target, 'source');
    await client.files.push(made.name, path, file);
    await client.instances.change(made.name, () => ({ config: { 'user.kept': '1' } }));
    const source = await client.instances.get(made.name);
    const id = source?.config['volatile.cloud-init.instance-id'] ?? '';
    assert.match(id, /^[0-9a-f-]{36}$/);
    const other = await otherProject();
    const name = newName('copy');
    // The address and the MAC of its source.
    const devices = { ...made.devices, eth1: { type: 'none' } };
    const given = { 'limits.memory': '300MiB', 'volatile.cloud-init.instance-id': id };
    const wanted = copyOf({ ...made, devices }, names.project, name, given);
    await settled(other, other.instances.create(wanted));
    const found = await other.instances.get(name);
    assert.ok(found);
    const { config } = found;
    assert.deepEqual(
      [found.status, found.project, found.profiles, found.description, found.devices],
      ['Stopped', other.project, [], 'Copied', devices],
    );
    assert.deepEqual(
      [config['limits.memory'], config['user.kept'], config['volatile.cloud-init.instance-id']],
      ['300MiB', '1', id],
    );
    assert.equal(config['volatile.base_image'], target.image);
    assert.notEqual(config['volatile.uuid'], source?.config['volatile.uuid']);
    assert.equal(Date.parse(found.last_used_at), 0);
    const copied = await other.files.pull(name, path, 100);
    assert.equal(copied?.content.toString(), file.content);
    assert.deepEqual(await client.instances.get(made.name), source);
    assert.equal(await client.instances.get(name), null, 'it is in the other project only');
    await assert.rejects(
      settled(other, other.instances.create(wanted)),
      failsWith('already_exists'),
    );
    await settled(client, client.instances.delete(made.name));
    const running = await settled(other, other.instances.updateState(name, { action: 'start' }));
    assert.equal(running.status_code, 200);
    await settled(other, other.instances.updateState(name, { action: 'stop', force: true }));
  });

  it('has the templates of its image applied as a copy at its next start, or as it was given', async () => {
    const { client, names } = target;
    const key = 'volatile.apply_template';
    const made = await createInstance(target, 'source');
    const appliedTo = async (incus: IncusClient, name: string) =>
      (await incus.instances.get(name))?.config[key];
    assert.equal(await appliedTo(client, made.name), 'create');
    const other = await otherProject();
    const devices = { root: made.devices.root ?? {}, eth0: { type: 'none' } };
    for (const [given, wanted] of Object.entries({ '': 'copy', start: 'start' })) {
      const name = newName('copy');
      const copy = copyOf({ ...made, devices }, names.project, name, given ? { [key]: given } : {});
      await settled(other, other.instances.create(copy));
      assert.equal(await appliedTo(other, name), wanted);
      await settled(other, other.instances.updateState(name, { action: 'start' }));
      assert.equal(await appliedTo(other, name), undefined);
      await settled(other, other.instances.updateState(name, { action: 'stop', force: true }));
    }
  });

  it('is busy under its own name while it is made, in the project that it is made in', async () => {
    const { client, names } = target;
    const made = await createInstance(target, 'source');
    const other = await otherProject();
    const name = newName('copy');
    const { id } = await other.instances.create(copyOf(made, names.project, name));
    const operations = await other.operations.listOfAllProjects();
    const urls = operations.find((one) => one.id === id)?.resources?.instances ?? [];
    // It has ended already if the machine is fast enough.
    if (urls.length > 0) assert.ok(urls.some((url) => url.startsWith(`/1.0/instances/${name}`)));
    await other.operations.wait(id, { timeoutSeconds: 60 });
    assert.equal((await client.instances.get(made.name))?.status, 'Stopped');
  });

  it('of none, or in a project that does not exist, is not found', async () => {
    const { client, names } = target;
    const wanted = await definition(target, newName('missing'));
    removeAfterwards(target, wanted.name);
    const nobody = copyOf({ ...wanted, name: 'contract-nobody' }, names.project, wanted.name);
    const create = settled(client, client.instances.create(nobody));
    await assert.rejects(create, failsWith('not_found', /Instance not found/));
    assert.equal(await client.projects.get('contract-none'), null);
  });

  it('is listed, started and stopped in its project, where a shutdown is seen', async () => {
    const { names } = target;
    const made = await createInstance(target, 'source');
    const other = await otherProject();
    const name = newName('copy');
    const without = { root: made.devices.root ?? {}, eth0: { type: 'none' } };
    const wanted = copyOf({ ...made, devices: without }, names.project, name);
    await settled(other, other.instances.create(wanted));
    const [listed] = await other.instances.list();
    assert.deepEqual([listed?.name, listed?.status], [name, 'Stopped']);
    await settled(other, other.instances.updateState(name, { action: 'start' }));
    const started = await other.instances.get(name);
    assert.ok(Date.parse(started?.last_used_at ?? '') > 0, 'a start is recorded');
    await settled(other, other.instances.updateState(name, { action: 'stop', force: true }));
    assert.equal((await other.instances.get(name))?.last_used_at, started?.last_used_at);
    await start(target, made.name);
    await settled(
      target.client,
      target.client.instances.updateState(made.name, { action: 'stop', force: true }),
    );
  });
});

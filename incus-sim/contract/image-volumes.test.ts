import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Instance } from '../../service/src/incus/instances.ts';
import { failsWith } from './assertions.ts';
import { createInstance, removeAfterwards, settled } from './guests.ts';
import { newName, useTarget } from './target.ts';

const target = useTarget();

describe("a pool's copy of an image", () => {
  it('is recorded by a create, can be described, and is created again after it was deleted', async () => {
    const { client, names, image } = target;
    const { storage } = client;
    const volume = { type: 'image', name: image };
    const find = () => storage.getVolume(names.pool, volume);
    await createInstance(target, 'of-image');
    await storage.describeVolume(names.pool, { ...volume, description: 'Whole' });
    const found = await find();
    assert.deepEqual([found?.name, found?.type, found?.description], [image, 'image', 'Whole']);
    const listed = await storage.listVolumes(names.pool);
    assert.equal(listed.find(({ name }) => name === image)?.description, 'Whole');
    await createInstance(target, 'of-image');
    assert.equal((await find())?.description, 'Whole');
    await storage.deleteVolume(names.pool, volume);
    assert.equal(await find(), null);
    const missing = storage.describeVolume(names.pool, { ...volume, description: 'Whole' });
    await assert.rejects(missing, failsWith('not_found', /Storage pool volume not found/));
    await createInstance(target, 'of-image');
    assert.equal((await find())?.description, '');
  });

  it('is unpacked for an instance without a size, NIC or configuration, and outlives it', async () => {
    const { client, names, image } = target;
    const { storage, instances } = client;
    // Of this file: others that use the image are no business of a test.
    const ofContract = ({ name, config }: Instance) =>
      name.startsWith('contract-') && config['volatile.base_image'] === image;
    const used = (await instances.list()).filter(ofContract);
    for (const one of used) await settled(client, instances.delete(one.name));
    const volume = { type: 'image', name: image };
    await storage.deleteVolume(names.pool, volume);
    const name = newName('unpacks');
    removeAfterwards(target, name);
    const devices = { root: { type: 'disk', path: '/', pool: names.pool } };
    const source = { type: 'image' as const, fingerprint: image };
    const wanted = { name, type: 'container' as const, source, profiles: [], config: {}, devices };
    await settled(client, instances.create(wanted));
    const found = await instances.get(name);
    assert.deepEqual([found?.status, found?.devices], ['Stopped', devices]);
    await storage.describeVolume(names.pool, { ...volume, description: 'Whole' });
    await settled(client, instances.delete(name));
    assert.deepEqual((await instances.list()).filter(ofContract), []);
    assert.equal((await storage.getVolume(names.pool, volume))?.description, 'Whole');
    await createInstance(target, 'of-image');
    assert.equal((await storage.getVolume(names.pool, volume))?.description, 'Whole');
  });
});

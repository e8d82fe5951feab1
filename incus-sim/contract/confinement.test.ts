import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { confine, deniedCalls, isConfined } from '../../service/src/instances/confinement.ts';
import {
  createInstance,
  definition,
  powerCut,
  removeAfterwards,
  settled,
  start,
} from './guests.ts';
import { newName, useTarget } from './target.ts';

const target = useTarget();
/** The number of BTRFS_IOC_SUBVOL_CREATE. */
const makeSubvolume = '0x5000940e';

describe('system calls that are denied', () => {
  before(async () => {
    const pool = await target.client.storage.getPool(target.names.pool);
    assert.equal(pool?.driver, 'btrfs', 'only btrfs has subvolumes');
  });

  const instance = async (name: string) => {
    const found = await target.client.instances.get(name);
    assert.ok(found);
    return found;
  };
  const may = (name: string) => target.mayAskBtrfs(name, makeSubvolume);

  it('are allowed by default for root in a container', async () => {
    const { name } = await createInstance(target, 'free');
    await start(target, name);
    assert.equal(await may(name), true);
    assert.equal(isConfined(await instance(name)), false);
  });

  it('are denied from the start on', async () => {
    const { client } = target;
    const wanted = await definition(target, newName('confined'));
    removeAfterwards(target, wanted.name);
    const config = { ...wanted.config, ...deniedCalls };
    await settled(client, client.instances.create({ ...wanted, config }));
    await start(target, wanted.name);
    assert.equal(await may(wanted.name), false);
    assert.equal(isConfined(await instance(wanted.name)), true);
  });

  it('can be set on a running instance, for its next start', async () => {
    const { client } = target;
    const { name } = await createInstance(target, 'later');
    await start(target, name);
    await client.instances.change(name, confine);
    const { config } = await instance(name);
    assert.equal(config['security.syscalls.deny'], deniedCalls['security.syscalls.deny']);
    assert.equal(await may(name), true);
    assert.equal(isConfined(await instance(name)), false);
    await powerCut(target, name);
    assert.equal(isConfined(await instance(name)), true);
    await start(target, name);
    assert.equal(await may(name), false);
    assert.equal(isConfined(await instance(name)), true);
  });
});

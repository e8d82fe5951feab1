import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { createIncusClient } from '../service/src/incus/client.ts';
import { askHelper } from '../service/src/pool-quotas/as-root.ts';
import { groupsOf } from '../service/src/pool-quotas/btrfs.ts';
import type { RootCall } from '../service/src/pool-quotas/commands.ts';
import { hasSimpleQuotas, modeOf } from '../service/src/pool-quotas/counting.ts';
import { parseGroups } from '../service/src/pool-quotas/groups.ts';
import { createHelper } from '../service/src/pool-quotas/helper.ts';
import { btrfsAt, type Mount } from '../service/src/pool-quotas/mount.ts';
import { poolDirectory } from '../service/src/pool-quotas/place.ts';
import { prepareQuotas } from '../service/src/pool-quotas/prepare.ts';
import { installationLabel } from '../service/src/servers/instance.ts';
import { incusPool, incusProject, incusSocket } from './api.ts';
import { run } from './processes.ts';

// That pools count in the way that keeps their servers to the sizes of their disks, on a real btrfs.

const client = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
after(() => client.close());
const incusDir = dirname(incusSocket());

async function mounted(pool: string): Promise<Mount> {
  const mount = await btrfsAt(poolDirectory(incusDir, pool));
  if (!mount) throw new Error(`${pool} is not mounted.`);
  return mount;
}

const mount = await mounted(incusPool());

test('a new pool counts in the simple way, where its kernel can', async () => {
  assert.equal(modeOf(mount), hasSimpleQuotas() ? 'simple' : 'classic');
});

const ours = 'ours';

/** What is made last is removed first. */
function stackOf(t: TestContext): AsyncDisposableStack {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  return stack;
}

/** A pool of a gigabyte that this installation, or somebody else, has made. */
async function makePool(
  stack: AsyncDisposableStack,
  suffix: string,
  config: Record<string, string> = {},
) {
  const name = `${incusPool()}-${suffix}`;
  const description = '';
  const pool = { name, driver: 'btrfs', description, config: { size: '1GiB', ...config } };
  await client.storage.createPool(pool);
  stack.defer(() => client.storage.deletePool(name));
  return { pool, place: await mounted(name) };
}

test("an administrator's pool, and one with something in it, is left as it is", async (t) => {
  const { pool, place: own } = await makePool(stackOf(t), 'own');
  const said: string[] = [];
  const preparing = { installationId: ours, incusDir, say: (text: string) => said.push(text) };
  await prepareQuotas(pool, preparing);
  assert.equal(modeOf(own), 'none');
  const marked = { ...pool, config: { [installationLabel]: ours } };
  const held = join(own.path, 'containers/somebody');
  run('btrfs', ['subvolume', 'create', held]);
  await prepareQuotas(marked, preparing);
  assert.equal(modeOf(own), 'none');
  run('btrfs', ['subvolume', 'delete', '--commit-after', held]);
  assert.deepEqual(said, []);
  await prepareQuotas(marked, preparing);
  assert.equal(modeOf(own), hasSimpleQuotas() ? 'simple' : 'none');
});

test('a service that is not root asks a helper, which does nothing else', async (t) => {
  const stack = stackOf(t);
  const { place } = await makePool(stack, 'asked');
  const pools = dirname(place.path);
  const helper = createHelper(pools);
  stack.defer(() => void helper.close());
  const socket = join(pools, 'helper');
  await once(helper.listen(socket), 'listening');
  const volume = `containers/berth_srv-${randomUUID()}`;
  const disk = join(place.path, volume);
  run('btrfs', ['subvolume', 'create', disk]);
  stack.defer(() => void run('btrfs', ['subvolume', 'delete', disk]));
  run('btrfs', ['subvolume', 'create', join(disk, 'own')]);
  stack.defer(() => void run('btrfs', ['subvolume', 'delete', join(disk, 'own')]));
  const ask = (call: RootCall, path = place.path) => askHelper(socket, path, call);
  // There is something in it.
  assert.equal(await ask({ call: 'count simply' }), '');
  assert.equal(modeOf(place), 'none');
  run('btrfs', ['quota', 'enable', place.path]);
  await ask({ call: 'limit', volume, bytes: 2 ** 26 });
  const shown = parseGroups(await ask({ call: 'show groups' })).find(({ path }) => path === volume);
  assert.deepEqual(shown, { path: volume, charged: 16_384, limit: 2 ** 26 });
  assert.match(
    await ask({ call: 'list subvolumes', volume }),
    new RegExp(`path ${volume}/own$`, 'm'),
  );
  assert.equal(await ask({ call: 'rescan' }), '');
  await ask({ call: 'clear stale' });
  const folder = `containers/srv-${randomUUID()}`;
  mkdirSync(join(place.path, folder));
  const link = `containers/srv-${randomUUID()}`;
  symlinkSync(disk, join(place.path, link));
  for (const [path, call] of [
    ['/etc', { call: 'show groups' }],
    ['/', { call: 'rescan' }],
    [pools, { call: 'rescan' }],
    [`${place.path}/../..`, { call: 'show groups' }],
    [`${pools}/..`, { call: 'show groups' }],
    [`${place.path}/`, { call: 'show groups' }],
    [`${place.path}/containers`, { call: 'show groups' }],
    [`${place.path}\n`, { call: 'show groups' }],
    [place.path, { call: 'limit', volume: 'containers/..', bytes: 1 }],
    [place.path, { call: 'limit', volume: '/etc', bytes: 1 }],
    [place.path, { call: 'limit', volume: '', bytes: 1 }],
    [place.path, { call: 'limit', volume: `${volume}/own`, bytes: 1 }],
    [place.path, { call: 'limit', volume: folder, bytes: 1 }],
    [place.path, { call: 'limit', volume: link, bytes: 1 }],
    [place.path, { call: 'limit', volume, bytes: -1 }],
    [place.path, { call: 'list subvolumes', volume: 'containers/../..' }],
    [place.path, { call: 'format' }],
  ] as [string, RootCall][]) {
    const refused = /no call|No btrfs|is not in|no subvolume/;
    await assert.rejects(ask(call, path), refused, JSON.stringify([path, call]));
  }
  const groups = await groupsOf(place);
  assert.deepEqual(groups.map(({ path, limit }) => [path, limit]).sort(), [
    [volume, 2 ** 26],
    [`${volume}/own`, null],
  ]);
});

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Server } from '@berth/contract/servers';
import { createIncusClient } from '../service/src/incus/client.ts';
import { installationLabel } from '../service/src/instances/labels.ts';
import { createLog } from '../service/src/lib/log.ts';
import { askHelper } from '../service/src/pool-quotas/as-root.ts';
import { groupsOf, setLimit } from '../service/src/pool-quotas/btrfs.ts';
import type { RootCall } from '../service/src/pool-quotas/commands.ts';
import { hasSimpleQuotas, isInconsistent, modeOf } from '../service/src/pool-quotas/counting.ts';
import { parseGroups } from '../service/src/pool-quotas/groups.ts';
import { createHelper } from '../service/src/pool-quotas/helper.ts';
import { btrfsAt, type Mount } from '../service/src/pool-quotas/mount.ts';
import { poolDirectory } from '../service/src/pool-quotas/place.ts';
import { createPoolQuotas } from '../service/src/pool-quotas/pool-quotas.ts';
import { prepareQuotas } from '../service/src/pool-quotas/prepare.ts';
import { type QuotaFigures, watchQuotas } from '../service/src/pool-quotas/watch.ts';
import { toolEntry } from '../service/src/testing/tool.ts';
import { eventually, until } from '../service/src/testing/until.ts';
import {
  call,
  created,
  directory,
  incusPool,
  incusProject,
  incusSocket,
  metrics,
  operations,
  primaryAddress,
  remove,
  untilIdle,
  view,
} from './api.ts';
import { incus } from './incus.ts';
import { run } from './processes.ts';
import { dataDirectory } from './service.ts';
import { ssh } from './ssh.ts';

// Tests that the size of a disk is enforced for the whole life of its pool, on a real btrfs.

const client = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
after(() => client.close());
const incusDir = dirname(incusSocket());
const incusCommand = (...args: string[]) =>
  incus({ socketPath: incusSocket(), names: { project: incusProject() } }, args);

const disk = 2;
const size = disk * 2 ** 30;
const mebibyte = 2 ** 20;

async function mounted(pool: string): Promise<Mount> {
  const mount = await btrfsAt(poolDirectory(incusDir, pool));
  if (!mount) throw new Error(`${pool} is not mounted.`);
  return mount;
}

const mount = await mounted(incusPool());
const pathOf = ({ uuid }: Pick<Server, 'uuid'>) => `containers/${incusProject()}_srv-${uuid}`;

async function groupOf(server: Server) {
  const found = (await groupsOf(mount)).find(({ path }) => path === pathOf(server));
  if (!found) throw new Error(`${server.uuid} has no group.`);
  return found;
}

async function inspect({ id }: Server): Promise<string> {
  const env = { ...process.env, BERTH_DATA_DIR: dataDirectory(directory()) };
  const args = [toolEntry, 'inspect', 'server', String(id)];
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}

const limitOf = async (server: Server) => (await groupOf(server)).limit;
const untilHeld = (server: Server) =>
  until(
    'it is limited to its size',
    () => limitOf(server),
    (limit) => limit === size,
    120,
  );

/** Makes the guest write until its disk is full. */
const fill = (server: Server) =>
  ssh(primaryAddress(server), `head -c ${disk + 1}G /dev/urandom > /root/fill; sync; true`);

async function act(server: Server, action: 'start' | 'stop'): Promise<string | undefined> {
  await call(
    'POST',
    `/v1/servers/${server.id}/${action}`,
    action === 'stop' ? { force: true } : {},
  );
  await untilIdle(server.id);
  return (await operations(server.id)).at(-1)?.message;
}

test('a new pool has simple quotas if its kernel supports them', async () => {
  assert.equal(modeOf(mount), hasSimpleQuotas() ? 'simple' : 'classic');
});

const ours = 'ours';

/** The last created object is removed first. */
function stackOf(t: TestContext): AsyncDisposableStack {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  return stack;
}

/** Creates a pool of a gigabyte, as this installation or as somebody else. */
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

test('a pool of an administrator, or with contents, is not changed', async (t) => {
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

test('a server is limited to its size after a restore, and after somebody has removed its limit', async () => {
  const server = await created({ disk });
  const name = `srv-${server.uuid}`;
  assert.equal(await limitOf(server), size);
  const how = modeOf(mount);
  const inForce = `a limit of ${size / mebibyte}.0 MiB, promised ${size / mebibyte}.0 MiB`;
  assert.match(
    await inspect(server),
    new RegExp(`^disk limit +${how} quotas; ${inForce}, charged [0-9.]+ MiB$`, 'm'),
  );
  const told = await metrics();
  assert.match(told, new RegExp(`^berth_pool_quota_mode{location="local",mode="${how}"} 1$`, 'm'));
  assert.match(told, /^berth_servers_disk_unlimited\{location="local"\} 0$/m);
  await incusCommand('snapshot', 'create', name, 'before');
  await incusCommand('snapshot', 'restore', name, 'before');
  await untilHeld(server);
  await incusCommand('snapshot', 'delete', name, 'before');
  run('btrfs', ['qgroup', 'limit', 'none', join(mount.path, pathOf(server))]);
  assert.equal(await limitOf(server), null);
  await untilHeld(server);
  await remove(server.id);
});

test('a full server is stopped, started, given a snapshot and deleted', async () => {
  const server = await created({ disk });
  const name = `srv-${server.uuid}`;
  await fill(server);
  const { charged } = await groupOf(server);
  assert.ok(charged > size - mebibyte && charged <= size, `${charged} bytes`);
  for (let times = 0; times < 3; times += 1) {
    await act(server, 'stop');
    assert.equal(await act(server, 'start'), 'The server was started.');
    assert.equal((await view(server.id)).status, 'started');
    assert.equal(await limitOf(server), size);
  }
  assert.ok((await groupOf(server)).charged <= size + 32 * mebibyte);
  await assert.rejects(incusCommand('snapshot', 'create', name, 'full'));
  await setLimit(mount, pathOf(server), size + 64 * mebibyte);
  await incusCommand('snapshot', 'create', name, 'full');
  await eventually(async () => assert.equal(await limitOf(server), size), 120);
  await remove(server.id);
});

test('a server that exceeds its size, as after inconsistent quotas, can be started and deleted', async () => {
  const server = await created({ disk });
  await setLimit(mount, pathOf(server), size + 256 * mebibyte);
  await fill(server);
  await setLimit(mount, pathOf(server), size);
  assert.ok((await groupOf(server)).charged > size + 128 * mebibyte);
  await act(server, 'stop');
  assert.equal(await act(server, 'start'), 'The server was started.');
  assert.equal(await limitOf(server), size);
  await remove(server.id);
});

/** A pool with classic quotas, and one server of 64 MiB in it. */
async function classicPool(stack: AsyncDisposableStack) {
  const { place } = await makePool(stack, 'classic', { [installationLabel]: ours });
  run('btrfs', ['quota', 'enable', place.path]);
  assert.equal(modeOf(place), 'classic');
  // With it, any deleted snapshot makes the accounting of the kernel inconsistent.
  writeFileSync(`/sys/fs/btrfs/${place.uuid}/qgroups/drop_subtree_threshold`, '0');
  const name = `srv-${randomUUID()}`;
  const devices = { root: { size: '64MiB' } };
  const server = { name, type: 'container', project: 'default', devices } as const;
  const path = join(place.path, 'containers', name);
  run('btrfs', ['subvolume', 'create', path]);
  stack.defer(() => void run('btrfs', ['subvolume', 'delete', '--commit-after', path]));
  // So many that the kernel does not traverse a whole deleted snapshot.
  for (let files = 0; files < 500; files += 1) writeFileSync(join(path, `file-${files}`), 'small');
  const write = (file: string, mebibytes: number) =>
    spawnSync('dd', [
      'if=/dev/urandom',
      `of=${join(path, file)}`,
      'bs=1M',
      `count=${mebibytes}`,
      'conv=fsync',
    ]);
  /** Returns how many servers are without their limit. */
  const keep = async (as: string) => {
    const stopping = new AbortController();
    const told: QuotaFigures[] = [];
    const rescans: number[] = [];
    const watch = watchQuotas(
      {
        ...{ client, signal: stopping.signal, log: createLog('silent') },
        poolQuotas: createPoolQuotas(as),
        observer: {
          quotas: (_, figures) => figures && told.push(figures),
          rescanned: (_, seconds) => rescans.push(seconds),
        },
        report: (error) => assert.fail(String(error)),
      },
      {
        ...{ id: 1, name: 'test', engine: { socket_path: incusSocket() } },
        ...{ incus_project: incusProject(), storage_pool: basename(place.path) },
      },
    );
    stack.defer(() => watch.stop());
    await watch.compare([server]);
    return { told, rescans };
  };
  const loseCount = () => {
    const snapshot = `${path}-snapshot`;
    run('btrfs', ['subvolume', 'snapshot', path, snapshot]);
    run('btrfs', ['subvolume', 'delete', '--commit-after', snapshot]);
    run('btrfs', ['subvolume', 'sync', place.path]);
  };
  return { place, keep, write, loseCount };
}

test('inconsistent classic quotas of a pool are rescanned', async (t) => {
  const { place, keep, write, loseCount } = await classicPool(stackOf(t));
  const { told, rescans } = await keep(ours);
  assert.deepEqual(told.at(-1), { mode: 'classic', isInconsistent: false, unlimited: 0 });
  assert.equal(write('some', 40).status, 0);
  loseCount();
  await until('a rescan was started', () => rescans.length);
  await until('the accounting is consistent', () => !isInconsistent(place));
  assert.notEqual(write('more', 40).status, 0);
  const [group] = await groupsOf(place);
  assert.ok(group && group.charged > 60 * mebibyte && group.charged <= 64 * mebibyte);
});

test('inconsistent quotas of a pool of an administrator are reported, and not changed', async (t) => {
  const { place, keep, write, loseCount } = await classicPool(stackOf(t));
  assert.equal(write('some', 4).status, 0);
  loseCount();
  const { told, rescans } = await keep('somebody else');
  assert.deepEqual(told[0], { mode: 'classic', isInconsistent: true, unlimited: 1 });
  await until('it was checked again', () => told.length > 1);
  assert.deepEqual(rescans, []);
  assert.equal(isInconsistent(place), true);
  assert.deepEqual(
    (await groupsOf(place)).map(({ limit }) => limit),
    [null],
  );
});

test('a service that is not root uses a helper, which can do nothing else', async (t) => {
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
  // The pool has contents.
  assert.equal(await ask({ call: 'count simply' }), '');
  assert.equal(modeOf(place), 'none');
  run('btrfs', ['quota', 'enable', place.path]);
  await ask({ call: 'limit', volume, bytes: 2 ** 26 });
  const shown = parseGroups(await ask({ call: 'show groups' })).find(({ path }) => path === volume);
  assert.deepEqual(shown, { path: volume, charged: 16_384, limit: 2 ** 26 });
  // Its limit is also removed if it uses more than that.
  writeFileSync(join(disk, 'much'), Buffer.alloc(2 ** 23));
  run('btrfs', ['filesystem', 'sync', place.path]);
  for (const bytes of [2 ** 22, 2 ** 26]) await ask({ call: 'limit', volume, bytes });
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

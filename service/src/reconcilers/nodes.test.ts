import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { IncusClient } from '../incus/client.ts';
import type { CallOptions } from '../incus/transport/api.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { syncNodes } from './nodes.ts';

const { db, close } = await createTestDatabase();
after(close);
const { locationId } = await installation(db);

const megabyte = 1024 ** 2;
const gigabyte = 1024 ** 3;

let stopping: AbortController;
let isClustered: boolean;
/** The statuses of the members in the list of Incus. */
let members: Record<string, string>;
/** The errors of calls, such as `info a`. `info undefined` is a call without a target. */
let errors: Map<string, Error>;
let space: { total: number; used: number } | undefined;
let calls: unknown[][];
let reports: unknown[];

beforeEach(async () => {
  stopping = new AbortController();
  isClustered = true;
  members = { a: 'Online' };
  errors = new Map();
  space = { total: 10.9 * gigabyte, used: 2.5 * gigabyte };
  [calls, reports] = [[], []];
  const [first, ...others] = await db.selectFrom('nodes').select('id').orderBy('id').execute();
  for (const { id } of others) await db.deleteFrom('nodes').where('id', '=', id).execute();
  const known = {
    name: 'a',
    member: 'a',
    status: 'online',
    gone: false,
    evacuated: false,
  } as const;
  const before = { cpu: 1, ram_mb: 1, disk_gb: 1, failure_domain: 'default', updated_at: 'epoch' };
  const machine = { incus_version: null, kernel_version: null, ram_used_mb: 1 };
  const values = { ...known, ...before, ...machine, disk_used_gb: 1 };
  await db
    .updateTable('nodes')
    .set(values)
    .where('id', '=', first?.id ?? 0)
    .execute();
});

async function called(call: string, member: string | undefined, options: CallOptions = {}) {
  assert.equal(options.signal, stopping.signal);
  calls.push([call, member, options.timeoutSeconds]);
  const error = errors.get(`${call} ${member}`);
  if (error) throw error;
}

const client = {
  project: 'berth',
  server: {
    async info(member: string | undefined, options: CallOptions) {
      await called('info', member, options);
      const about = { server_version: '6.0.9', kernel_version: '6.12.0' };
      return { environment: { ...about, server_name: 'a', server_clustered: isClustered } };
    },
    async members(options: CallOptions) {
      await called('members', undefined, options);
      return Object.entries(members).map(([server_name, status]) => ({
        ...{ server_name, status, failure_domain: `rack of ${server_name}` },
      }));
    },
    async resources(member: string | undefined, options: CallOptions) {
      await called('resources', member, options);
      const memory = { total: 4096.9 * megabyte, used: 100.1 * megabyte };
      return { cpu: { total: 8 }, memory };
    },
  },
  storage: {
    async poolResources(pool: string, member: string | undefined, options: CallOptions) {
      assert.equal(pool, 'disks');
      await called('pool', member, options);
      return { space };
    },
  },
  projects: {
    async get(name: string, options: CallOptions) {
      assert.equal(name, 'berth');
      await called('project', options.member, options);
    },
  },
} as unknown as IncusClient;

const sync = () =>
  syncNodes({
    ...{ db, client, locationId, signal: stopping.signal, pool: 'disks' },
    report: (error) => void reports.push(error),
  });

async function nodes() {
  const query = db
    .selectFrom('nodes')
    .select(['name', 'member', 'status', 'evacuated', 'failure_domain', 'cpu', 'ram_mb'])
    .select(['ram_used_mb', 'incus_version', 'kernel_version', 'disk_gb', 'disk_used_gb']);
  return (await query.where('gone', '=', false).orderBy('name').execute()).map((row) => ({
    ...row,
  }));
}

const whole = {
  ...{ cpu: 8, ram_mb: 4096, ram_used_mb: 101, incus_version: '6.0.9', kernel_version: '6.12.0' },
  ...{ disk_gb: 10, disk_used_gb: 2.5 },
};
const unread = {
  ...{ cpu: 1, ram_mb: 1, ram_used_mb: 1, incus_version: null, kernel_version: null },
  ...{ disk_gb: 1, disk_used_gb: 1 },
};
const node = (name: string) => ({
  ...{ name, member: name, status: 'online', evacuated: false },
  failure_domain: `rack of ${name}`,
});
const fresh = { ...unread, cpu: 0, ram_mb: 0, ram_used_mb: 0, disk_gb: 0, disk_used_gb: 0 };

const statuses = async () => (await nodes()).map(({ name, status }) => [name, status]);
const calledOf = (member: string) => calls.filter(([, of]) => of === member).map(([call]) => call);

const refused = new EngineError('unreachable', 'connection refused');
const silent = new EngineError('timeout', 'No answer.');

test('a single server is a node without a member, with its resources in whole numbers', async () => {
  isClustered = false;
  await db.updateTable('nodes').set({ name: 'before', member: null }).execute();
  assert.equal(await sync(), false);
  assert.deepEqual(await nodes(), [
    { ...node('a'), ...whole, member: null, failure_domain: 'default' },
  ]);
  assert.deepEqual(calls, [
    ['info', undefined, undefined],
    ...['info', 'resources', 'pool'].map((call) => [call, undefined, 5]),
  ]);
});

test('members are called separately, with the failure domain and status that Incus lists', async () => {
  members = { a: 'Online', b: 'Evacuated', c: 'Evacuating', d: 'Restoring' };
  assert.equal(await sync(), false);
  assert.deepEqual(await nodes(), [
    { ...node('a'), ...whole },
    ...['b', 'c', 'd'].map((name) => ({ ...node(name), ...whole, evacuated: true })),
  ]);
  assert.deepEqual(reports, []);
  assert.deepEqual(calledOf('a'), ['info', 'resources', 'pool']);
  const limited = calls.filter(([call, member]) => call === 'info' && member !== undefined);
  assert.deepEqual(limited[0], ['info', 'a', 5]);
});

test('a member is offline if it refuses, is blocked or was removed, and unchanged if it does not respond', async () => {
  const names = ['blocked', 'refusing', 'removed', 'silent'];
  members = Object.fromEntries(names.map((name) => [name, 'Online']));
  Object.assign(members, { a: 'Online', blocked: 'Blocked', new: 'Online' });
  const { id: _, ...like } = await db.selectFrom('nodes').selectAll().executeTakeFirstOrThrow();
  const known = names.map((name) => ({ ...like, servers: 0, name, member: name }));
  await db.insertInto('nodes').values(known).execute();
  errors.set('info refusing', refused);
  errors.set('info removed', new EngineError('not_found', 'There is none.'));
  errors.set('info silent', silent);
  errors.set('info new', silent);
  assert.equal(await sync(), false);
  const offline = { ...unread, status: 'offline' };
  assert.deepEqual(await nodes(), [
    { ...node('a'), ...whole },
    { ...node('blocked'), ...offline },
    { ...node('new'), ...fresh, status: 'offline' },
    { ...node('refusing'), ...offline },
    { ...node('removed'), ...offline },
    { ...node('silent'), ...unread },
  ]);
  assert.deepEqual(calledOf('blocked'), []);
});

test('a member that is listed as offline is back once it is connected to its cluster', async () => {
  members = { a: 'Offline', b: 'Offline' };
  await db.updateTable('nodes').set({ status: 'offline' }).execute();
  errors.set('project a', refused);
  assert.equal(await sync(), false);
  assert.deepEqual(await statuses(), [
    ['a', 'offline'],
    ['b', 'online'],
  ]);
  assert.deepEqual(calledOf('a'), ['info', 'project']);
  const limits = calls.filter(([call]) => call === 'project');
  assert.deepEqual(limits, [
    ['project', 'a', 5],
    ['project', 'b', 5],
  ]);
  errors.clear();
  assert.equal(await sync(), true);
  assert.deepEqual(await statuses(), [
    ['a', 'online'],
    ['b', 'online'],
  ]);
  assert.equal(await sync(), false);
});

test('a single server that was offline does not count as a member that is back', async () => {
  isClustered = false;
  await db.updateTable('nodes').set({ member: null, status: 'offline' }).execute();
  assert.equal(await sync(), false);
  assert.deepEqual(await statuses(), [['a', 'online']]);
});

test('a member that is still offline does not count as back, even if others are online', async () => {
  members = { a: 'Online', b: 'Online' };
  await sync();
  await db.updateTable('nodes').set({ status: 'offline' }).where('name', '=', 'b').execute();
  errors.set('info b', silent);
  assert.equal(await sync(), false);
  assert.deepEqual(await statuses(), [
    ['a', 'online'],
    ['b', 'offline'],
  ]);
});

test('values of a node that could not be read are kept, and the error is reported', async () => {
  const noResources = new EngineError('failed', 'No resources.');
  const noPool = new EngineError('failed', 'No pool.');
  errors.set('resources a', noResources);
  assert.equal(await sync(), false);
  const { disk_gb, disk_used_gb, ...machine } = whole;
  assert.deepEqual(await nodes(), [{ ...node('a'), ...unread, disk_gb, disk_used_gb }]);
  errors.delete('resources a');
  errors.set('pool a', noPool);
  space = { total: gigabyte, used: 0 };
  await sync();
  assert.deepEqual(await nodes(), [{ ...node('a'), ...machine, disk_gb, disk_used_gb }]);
  errors.clear();
  space = undefined;
  await sync();
  assert.deepEqual(await nodes(), [{ ...node('a'), ...machine, disk_gb, disk_used_gb }]);
  assert.deepEqual(reports, [noResources, noPool]);
});

test('an error that is not of the engine about a node is thrown, and nothing is written', async () => {
  const before = await nodes();
  for (const [call, error] of [
    ['resources a', new TypeError('of ours')],
    ['info a', new EngineError('forbidden', 'of ours')],
    ['info undefined', new EngineError('unreachable', 'of ours')],
  ] as const) {
    errors.clear();
    errors.set(call, error);
    await assert.rejects(sync(), /of ours/, call);
  }
  errors.clear();
  errors.set('info a', refused);
  stopping.abort();
  await assert.rejects(sync(), refused);
  assert.deepEqual(await nodes(), before);
});

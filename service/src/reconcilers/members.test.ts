import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { IncusClient } from '../incus/client.ts';
import type { CallOptions } from '../incus/transport/api.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { longestSeconds } from '../incus/transport/patience.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { defaultPingMilliseconds } from './location/sync.ts';
import { createMemberProbes, type MemberProbes } from './members.ts';

const { db, close } = await createTestDatabase();
after(close);
const { locationId } = await installation(db);

const away = new EngineError('unreachable', 'connect ECONNREFUSED');
const broken = new EngineError('invalid', 'What is this?');

/** The calls of the probes. Members respond at once, except those in `answers`. */
let calls: unknown[][] = [];
const answers = new Map<string, () => Promise<unknown>>();
let changes: string[] = [];
let reports: unknown[] = [];
let stopping: AbortController;
let probes: MemberProbes;

async function answer(call: string, member: string, { signal, timeoutSeconds }: CallOptions) {
  signal?.throwIfAborted();
  calls.push([call, member, timeoutSeconds]);
  await (answers.get(`${call} ${member}`) ?? answers.get(member))?.();
}

beforeEach(async () => {
  answers.clear();
  [calls, changes, reports] = [[], [], []];
  stopping = new AbortController();
  const client = {
    project: 'berth',
    server: { info: (member: string, options: CallOptions) => answer('info', member, options) },
    projects: {
      get: (_: string, options: CallOptions) => answer('project', options.member ?? '', options),
    },
  } as unknown as IncusClient;
  const subject = { db, client, locationId, signal: stopping.signal };
  probes = createMemberProbes(
    subject,
    (to) => void changes.push(to),
    (error) => void reports.push(error),
  );
  const [single, ...others] = await db.selectFrom('nodes').selectAll().orderBy('id').execute();
  assert.ok(single);
  for (const { id } of others) await db.deleteFrom('nodes').where('id', '=', id).execute();
  const { id: _, ...like } = single;
  const member = (name: string) => ({ ...like, name, member: name, servers: 0 });
  const longAgo = { updated_at: 'epoch', status_since: 'epoch' } as const;
  const late = { slow_since: 'epoch', ...longAgo } as const;
  await db
    .insertInto('nodes')
    .values([
      { ...member('a'), ...late },
      { ...member('b'), ...late },
      { ...member('c'), ...late, status: 'offline' },
      { ...member('d'), ...longAgo, status: 'offline' },
    ])
    .execute();
});

/** Lists the members with their statuses and whether they are slow. */
async function nodes() {
  const query = db.selectFrom('nodes').select(['member', 'status', 'slow_since']);
  const rows = await query.where('member', 'is not', null).orderBy('name').execute();
  return rows.map(({ member, status, slow_since }) => [member, status, slow_since !== null]);
}

const before = [
  ...[
    ['a', 'online', true],
    ['b', 'online', true],
  ],
  ...[
    ['c', 'offline', true],
    ['d', 'offline', false],
  ],
];

async function run(since: 'online' | 'offline') {
  await probes.run(since);
  await probes.idle();
}

test('a member that was online is no longer slow if it responds in time, and offline if it refuses', async () => {
  answers.set('b', () => Promise.reject(away));
  await run('online');
  const [, , c, d] = before;
  assert.deepEqual(await nodes(), [['a', 'online', false], ['b', 'offline', false], c, d]);
  assert.deepEqual([changes, reports], [['offline'], []]);
  const asked = calls.map(([call, member]) => `${call} ${member}`);
  assert.deepEqual(asked.toSorted(), ['info a', 'info b']);
});

test('a member that was offline is reported if it is connected to its cluster, but its status is not changed', async () => {
  answers.set('d', () => Promise.reject(away));
  await run('offline');
  assert.deepEqual([await nodes(), changes, reports], [before, ['online'], []]);
  assert.deepEqual(calls.toSorted(), [
    ...[
      ['info', 'c', 10],
      ['info', 'd', 10],
      ['project', 'c', 10],
    ],
  ]);
});

test('a member that is cut off from its cluster stays offline', async () => {
  for (const member of ['c', 'd']) answers.set(`project ${member}`, () => Promise.reject(away));
  await run('offline');
  assert.deepEqual([await nodes(), changes, reports], [before, [], []]);
});

for (const [milliseconds, isSlow] of [
  [3000, false],
  [3001, true],
] as const) {
  test(`a member that is back after ${milliseconds} ms counts as slow: ${isSlow}`, async (t) => {
    let now = 1000;
    t.mock.method(performance, 'now', () => now);
    answers.set('d', () => Promise.reject(away));
    answers.set('project c', async () => {
      now += milliseconds;
    });
    await run('offline');
    const [a, b, c, d] = before;
    assert.deepEqual(await nodes(), [a, b, isSlow ? ['c', 'online', true] : c, d]);
    assert.deepEqual(changes, ['online']);
  });
}

test('any other error is reported, and nothing is changed', async () => {
  for (const member of ['a', 'b', 'c', 'd']) answers.set(member, () => Promise.reject(broken));
  await run('online');
  await run('offline');
  assert.deepEqual([await nodes(), changes], [before, []]);
  assert.deepEqual(reports, [broken, broken, broken, broken]);
});

test('a member that was online is not probed again during a probe, and one that was offline is', async () => {
  const held = Promise.withResolvers<void>();
  for (const member of ['a', 'c']) answers.set(member, () => held.promise);
  for (const since of ['online', 'online', 'offline', 'offline'] as const) await probes.run(since);
  let isIdle = false;
  const idle = probes.idle().then(() => {
    isIdle = true;
  });
  await db.selectFrom('nodes').selectAll().execute();
  assert.equal(isIdle, false);
  const count = (member: string) =>
    calls.filter((call) => call.join().startsWith(`info,${member}`));
  assert.deepEqual([count('a').length, count('c').length], [1, 2]);
  held.resolve();
  await idle;
  await run('online');
  assert.equal(count('a').length, 2);
});

test('a member that no longer responds is recorded as offline within 15 s', () => {
  assert.ok(defaultPingMilliseconds / 1000 + longestSeconds <= 15);
});

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AuditEntry as Shown } from '@berth/contract/audit';
import { sql } from 'kysely';
import type { AuditEntry } from '../audit/entry-queries.ts';
import { auditRoutes } from '../audit/routes.ts';
import { serverActionRoutes } from '../servers/actions/routes.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestUser } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { refused as entry } from '../testing/refused.ts';
import { countingMs, countRefusals, maxKinds } from './counts.ts';
import { maxAddresses } from './tally.ts';

const { db, close } = await createTestDatabase();
after(close);

test('a thousand refusals of one token cost two entries per action and code', async () => {
  const app = await createTestApp(db, [serverActionRoutes]);
  const { id, headers } = await createTestToken(db);
  const ask = (name: string, server: number) =>
    inject(app, { method: 'POST', url: `/v1/servers/${server}/${name}`, headers });
  for (let server = 1; server <= 500; server += 1) {
    const answers = await Promise.all([ask('start', 4000 + server), ask('restart', 4711)]);
    assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([404]));
  }
  await app.close();
  const query = db.selectFrom('audit_log').selectAll().where('token_id', '=', id).orderBy('id');
  const entries = await query.execute();
  const shown = entries.map(({ action, count, target_id }) => ({ action, count, target_id }));
  const of = (wanted: string) => shown.filter(({ action }) => action === wanted);
  assert.deepEqual(of('server_restart'), [
    { action: 'server_restart', count: 1, target_id: 4711 },
    { action: 'server_restart', count: 499, target_id: 4711 },
  ]);
  // The requests named different targets.
  assert.deepEqual(of('server_start'), [
    { action: 'server_start', count: 1, target_id: 4001 },
    { action: 'server_start', count: 499, target_id: null },
  ]);
  assert.equal(entries.length, 4);
  for (const { count, at, first_at, last_at } of entries) {
    if (count === 1) assert.deepEqual([first_at, last_at], [null, null]);
    else assert.ok(first_at && last_at && first_at < last_at && last_at <= at);
  }
});

test('300 refusals of one token from as many addresses of a /64 cost two entries', async () => {
  const app = await createTestApp(db, [serverActionRoutes, auditRoutes]);
  const { id, headers } = await createTestToken(db);
  const url = '/v1/servers/4711/start';
  for (let at = 1; at <= 300; at += 1) {
    const remoteAddress = `2001:db8::${at.toString(16)}`;
    const { statusCode } = await inject(app, { method: 'POST', url, headers, remoteAddress });
    assert.equal(statusCode, 404);
  }
  await app.close();
  const again = await createTestApp(db, [auditRoutes]);
  const list = await inject(again, { url: `/v1/audit?token_id=${id}`, headers });
  await again.close();
  const entries: Shown[] = list.json();
  assert.deepEqual(
    entries.map(({ count, address, address_count }) => ({ count, address, address_count })),
    [
      { count: 1, address: '2001:db8::1', address_count: 1 },
      { count: 299, address: '2001:db8::12c', address_count: 299 },
    ],
  );
});

test('failed sign-ins from a /64 cost two entries per attempted user', async () => {
  const app = await createTestApp(db, [sessionRoutes]);
  const user = await createTestUser(db);
  const guess = (remoteAddress: string) => {
    const payload = { email: user.email, password: 'a guess' };
    return inject(app, { method: 'POST', url: '/v1/session', payload, remoteAddress });
  };
  for (const end of ['1', '2', '3', '4:5']) await guess(`2001:db8:0:1::${end}`);
  await guess('2001:db8:0:2::1');
  await app.close();
  const entries = await db
    .selectFrom('audit_log')
    .select(['count', 'address_count', 'target_id', sql<string>`host(address)`.as('address')])
    .where('action', '=', 'session_create')
    .orderBy('id')
    .execute();
  const target_id = user.id;
  assert.deepEqual(entries, [
    { count: 1, address_count: null, target_id, address: '2001:db8:0:1::1' },
    { count: 1, address_count: null, target_id, address: '2001:db8:0:2::1' },
    { count: 3, address_count: 3, target_id, address: '2001:db8:0:1::4:5' },
  ]);
});

test('continuing refusals are entered each minute, and those that have stopped are forgotten', async (t) => {
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  const entered: AuditEntry[] = [];
  const counts = countRefusals(async (one) => void entered.push(one));
  await counts.add(entry);
  assert.equal(entered.length, 1);
  now += 10_000;
  await counts.add({ ...entry, requestId: 'two' });
  now += 20_000;
  await counts.add({ ...entry, requestId: 'three' });
  await counts.flush();
  assert.equal(entered.length, 1, 'the minute is not over');
  now += 30_000;
  await counts.flush();
  assert.deepEqual(entered.splice(0).slice(1), [
    {
      ...entry,
      requestId: 'three',
      counted: { count: 2, addresses: 1, firstSecondsAgo: 50, lastSecondsAgo: 30 },
    },
  ]);
  await counts.add({ ...entry, requestId: 'four' });
  now += countingMs;
  await counts.flush();
  assert.deepEqual(
    entered.splice(0).map((one) => one.counted?.count),
    [1],
  );
  now += countingMs;
  await counts.flush();
  assert.deepEqual(entered, []);
  await counts.add(entry);
  assert.equal(entered.length, 1, 'the first refusal after that is entered at once');
});

test('a single refusal has the same first and last time', async (t) => {
  let now = 1000;
  t.mock.method(performance, 'now', () => {
    now += 0.001;
    return now;
  });
  const entered: AuditEntry[] = [];
  const counts = countRefusals(async (one) => void entered.push(one));
  await counts.add(entry);
  await counts.add(entry);
  await counts.flush(true);
  const { firstSecondsAgo, lastSecondsAgo } = entered[1]?.counted ?? {};
  assert.ok(firstSecondsAgo !== undefined && firstSecondsAgo > 0);
  assert.equal(lastSecondsAgo, firstSecondsAgo);
});

test('refusals that differ in caller, action or reason are counted separately', async () => {
  const entered: AuditEntry[] = [];
  const counts = countRefusals(async (one) => void entered.push(one));
  const others: Partial<AuditEntry>[] = [
    ...[{ tokenId: 3 }, { userId: 4 }, { action: 'server_stop' }],
    ...[{ code: 'forbidden' }, { status: 403 }, { projectId: null }, { byAdministrator: true }],
  ];
  for (const other of [{}, ...others]) await counts.add({ ...entry, ...other });
  assert.equal(entered.length, 1 + others.length);
});

/** Returns the entries that are made at once, and those at the end of the minute. */
async function enteredOf(refusals: Iterable<AuditEntry>) {
  const entered: AuditEntry[] = [];
  const counts = countRefusals(async (one) => void entered.push(one));
  for (const refusal of refusals) await counts.add(refusal);
  const atOnce = entered.splice(0);
  await counts.flush(true);
  return { atOnce, later: entered };
}

const countOf = (entries: AuditEntry[]) =>
  entries.reduce((sum, { counted }) => sum + (counted?.count ?? 1), 0);
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

test('a known caller is the same from any address, and a limited number of addresses is counted', async () => {
  const many = maxAddresses + 500;
  const { atOnce, later } = await enteredOf(
    numbers(many).map((at) => ({ ...entry, address: `2001:db8::${at.toString(16)}` })),
  );
  assert.equal(atOnce.length, 1);
  const [{ address, counted } = entry] = later;
  assert.equal(later.length, 1);
  assert.deepEqual([counted?.count, counted?.addresses], [many - 1, maxAddresses]);
  assert.equal(address, `2001:db8::${many.toString(16)}`);
});

test('an unknown caller is identified by network and attempted user', async () => {
  const stranger = { ...entry, projectId: null, tokenId: null, code: 'sign_in_failed' };
  const target = { kind: 'user', id: 7 } as const;
  const { atOnce } = await enteredOf([
    { ...stranger, target, address: '192.0.2.1' },
    { ...stranger, target, address: '192.0.2.2' },
    { ...stranger, target, address: '2001:db8::1' },
    { ...stranger, target, address: '2001:db8:0:0:ffff::1' },
    { ...stranger, target, address: '2001:db8:0:1::1' },
    { ...stranger, target: { kind: 'user', id: 8 }, address: '192.0.2.1' },
    { ...stranger, target: null, address: '192.0.2.1' },
  ]);
  assert.equal(atOnce.length, 6);
});

test('one caller causes a limited number of entries per minute, and the other refusals are aggregated', async () => {
  const kinds = maxKinds.ofCaller + 30;
  const refusals = numbers(kinds).flatMap((at) => [
    { ...entry, action: `act_${at}`, address: '192.0.2.1' },
    { ...entry, action: `act_${at}`, address: '192.0.2.2' },
  ]);
  const { atOnce, later } = await enteredOf([...refusals, { ...entry, tokenId: 3 }]);
  assert.deepEqual(
    atOnce.map(({ tokenId, action }) => [tokenId, action]),
    [...numbers(maxKinds.ofCaller).map((at) => [2, `act_${at}`]), [3, entry.action]],
  );
  assert.equal(later.length, maxKinds.ofCaller + 1);
  assert.equal(countOf([...atOnce, ...later]), refusals.length + 1);
  const rest = later.find(({ action }) => action === 'requests_refused');
  const { projectId, tokenId, code, details, counted, address } = rest ?? entry;
  assert.deepEqual([projectId, tokenId, code, address], [1, 2, entry.code, '192.0.2.2']);
  assert.deepEqual([counted?.count, counted?.addresses], [60, 2]);
  const actions = numbers(30).map((at) => [`act_${at + maxKinds.ofCaller}`, 2]);
  assert.deepEqual(details, { actions: Object.fromEntries(actions) });
});

test('one project causes a limited number of entries per minute, and does not affect others', async () => {
  const callers = maxKinds.inHistory + 50;
  const refusals = numbers(callers).flatMap((tokenId) => [
    { ...entry, tokenId, address: `192.0.2.${tokenId}` },
    { ...entry, tokenId, code: undefined, byAdministrator: tokenId === callers },
  ]);
  const elsewhere = { ...entry, projectId: 2 };
  const { atOnce, later } = await enteredOf([...refusals, elsewhere]);
  assert.equal(atOnce.length, maxKinds.inHistory + 1);
  assert.deepEqual(atOnce.at(-1), elsewhere);
  assert.equal(later.length, 1, 'each of the others was the first of its kind');
  const [{ projectId, tokenId, code, address, byAdministrator, counted } = entry] = later;
  assert.deepEqual([projectId, tokenId, code], [1, null, undefined]);
  // Otherwise members would see the address of an administrator.
  assert.deepEqual([address, byAdministrator], [null, true]);
  assert.equal(counted?.count, 2 * callers - maxKinds.inHistory);
});

test('an attack on one account from many networks does not hide one on another', async () => {
  const stranger = { ...entry, projectId: null, tokenId: null, code: 'sign_in_failed' };
  const on = (id: number, at: number) => ({
    ...stranger,
    target: { kind: 'user', id } as const,
    address: `2001:db8:0:${at.toString(16)}::1`,
  });
  const { atOnce, later } = await enteredOf([...numbers(5000).map((at) => on(7, at)), on(8, 1)]);
  assert.equal(atOnce.length, maxKinds.ofCaller + 1);
  assert.equal(atOnce.at(-1)?.target?.id, 8);
  assert.deepEqual(
    later.map(({ target, counted }) => [target?.id, counted?.count, counted?.addresses]),
    [[7, 5000 - maxKinds.ofCaller, maxAddresses]],
  );
});

test('the aggregated refusals of a caller count against the limit of the history', async () => {
  const kinds = maxKinds.ofCaller + 5;
  const ofOne = numbers(kinds).map((at) => ({ ...entry, tokenId: 1, action: `act_${at}` }));
  const others = numbers(maxKinds.inHistory).map((at) => ({ ...entry, tokenId: 1 + at }));
  const { atOnce, later } = await enteredOf([...ofOne, ...others]);
  // One of the kinds is that of the other refusals of the first caller.
  assert.equal(atOnce.length, maxKinds.inHistory - 1);
  assert.deepEqual(
    later.map(({ tokenId, counted }) => [tokenId, counted?.count]),
    [
      [1, 5],
      [null, maxKinds.ofCaller + 1],
    ],
  );
});

test('refusals during a failed write count as later ones', async () => {
  const entered: AuditEntry[] = [];
  const writes: PromiseWithResolvers<void>[] = [];
  let isAway = true;
  const counts = countRefusals(async (one) => {
    if (isAway) {
      const write = Promise.withResolvers<void>();
      writes.push(write);
      await write.promise;
    }
    entered.push(one);
  });
  const failing = assert.rejects(counts.add(entry), /away/);
  await counts.add({ ...entry, requestId: 'two' });
  writes.shift()?.reject(new Error('away'));
  await failing;
  const flushing = assert.rejects(counts.flush(true), /away/);
  await counts.add({ ...entry, requestId: 'three' });
  writes.shift()?.reject(new Error('away'));
  await flushing;
  isAway = false;
  await counts.flush(true);
  assert.deepEqual(
    entered.map(({ requestId, counted }) => [requestId, counted?.count]),
    [['three', 3]],
  );
});

for (const continuing of [0, 2])
  test(`the part of ${continuing} kinds that continue stays taken from the limit, and the rest is free again`, async (t) => {
    let now = 1000;
    t.mock.method(performance, 'now', () => now);
    const entered: AuditEntry[] = [];
    const counts = countRefusals(async (one) => void entered.push(one));
    const all = numbers(maxKinds.ofCaller).map((at) => ({ ...entry, action: `act_${at}` }));
    for (const one of all) await counts.add(one);
    for (const one of all.slice(0, continuing)) await counts.add(one);
    now += countingMs;
    await counts.flush();
    entered.splice(0);
    for (const one of all) await counts.add({ ...one, action: `another_${one.action}` });
    assert.equal(entered.length, maxKinds.ofCaller - continuing);
  });

test('refusals that could not be written are kept, and written later', async () => {
  const entered: AuditEntry[] = [];
  let isAway = false;
  const counts = countRefusals(async (one) => {
    if (isAway) throw new Error('away');
    entered.push(one);
  });
  isAway = true;
  await assert.rejects(counts.add({ ...entry, tokenId: 3 }), /away/);
  isAway = false;
  await counts.flush(true);
  assert.deepEqual(
    entered.splice(0).map((one) => one.counted?.count),
    [1],
  );
  for (let time = 0; time < 3; time += 1) await counts.add(entry);
  isAway = true;
  await assert.rejects(counts.flush(true), /away/);
  await counts.add(entry);
  isAway = false;
  await counts.flush(true);
  assert.deepEqual(
    entered.map((one) => one.counted?.count),
    [undefined, 3],
  );
});

test('very many callers use limited memory, and no refusal is lost', async () => {
  const callers = maxKinds.inAll + 2000;
  const { atOnce, later } = await enteredOf(
    numbers(callers).flatMap((tokenId) => [
      { ...entry, projectId: tokenId % 500, tokenId },
      { ...entry, projectId: tokenId % 500, tokenId },
    ]),
  );
  assert.equal(atOnce.length, maxKinds.inAll);
  // There is one more for each project.
  assert.equal(later.length, maxKinds.inAll + 500);
  assert.equal(countOf([...atOnce, ...later]), 2 * callers);
});

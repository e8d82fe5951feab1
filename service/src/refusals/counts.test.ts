import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AuditEntry } from '../audit/entry-queries.ts';
import { serverRoutes } from '../servers/routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { countingMs, countRefusals } from './counts.ts';

const { db, close } = await createTestDatabase();
after(close);

test('a thousand refusals of one token cost two entries for each action and code', async () => {
  const app = await createTestApp(db, [serverRoutes]);
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
  // They named different ones.
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

const entry: AuditEntry = {
  projectId: 1,
  tokenId: 2,
  userId: null,
  source: 'api',
  byAdministrator: false,
  address: '192.0.2.1',
  action: 'server_start',
  target: null,
  status: 404,
  code: 'server_not_found',
  requestId: 'one',
};

test('what goes on is entered each minute, and what is over is forgotten', async (t) => {
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
      counted: { count: 2, firstSecondsAgo: 50, lastSecondsAgo: 30 },
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
  assert.equal(entered.length, 1, 'the first after that is entered at once');
});

test('what differs in who, whence, what or why is counted apart', async () => {
  const entered: AuditEntry[] = [];
  const counts = countRefusals(async (one) => void entered.push(one));
  const others: Partial<AuditEntry>[] = [
    ...[{ tokenId: 3 }, { userId: 4 }, { address: '192.0.2.2' }, { action: 'server_stop' }],
    ...[{ code: 'forbidden' }, { status: 403 }, { projectId: null }, { byAdministrator: true }],
  ];
  for (const other of [{}, ...others]) await counts.add({ ...entry, ...other });
  assert.equal(entered.length, 1 + others.length);
});

test('what could not be written is counted on, and written later', async () => {
  const entered: AuditEntry[] = [];
  let isAway = false;
  const counts = countRefusals(async (one) => {
    if (isAway) throw new Error('away');
    entered.push(one);
  });
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

test('very many callers take no more memory, and none is lost', async () => {
  let entered = 0;
  const counts = countRefusals(async (one) => {
    entered += one.counted?.count ?? 1;
  });
  const callers = 12_000;
  for (let tokenId = 1; tokenId <= callers; tokenId += 1) {
    await counts.add({ ...entry, tokenId });
    await counts.add({ ...entry, tokenId });
  }
  assert.ok(entered > callers, 'those that made room are entered');
  await counts.flush(true);
  assert.equal(entered, 2 * callers);
});

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { after, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import type { App, Deps } from '../callers/app-types.ts';
import { changesNothing } from '../changes/change.ts';
import { createPool, createSharedDb } from '../db/connection.ts';
import { currentClaim } from '../db/queue/claim.ts';
import { waitingFor } from '../db/queue/turns.ts';
import { routes } from '../routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { serverBody } from '../testing/servers.ts';
import { until } from '../testing/until.ts';

// Tests which project queries belong to, and the limits that follow.

const { db, connectionString, close } = await createTestDatabase();
after(close);
const place = await installation(db);
await db.insertInto('projects').values({ name: 'other' }).execute();
const one = (await createTestToken(db, { scopes: ['servers:write'] })).headers;
const other = (await createTestToken(db, { scopes: ['servers:write'], project: 'other' })).headers;
await sql`create table slow (id integer)`.execute(db);

const config = { scope: 'servers:read' } as const;
const schema = { response: { 200: { type: 'object' } } };

/** Routes whose statement lasts until the table is unlocked, and one whose statement does not. */
function slowRoutes(app: App, { db: own }: Deps): void {
  const wait = async () => {
    await sql`select from slow`.execute(own);
    return {};
  };
  app.get('/slow', { config, schema }, wait);
  app.post('/slow', { config, schema }, (request) => changesNothing(request, wait()));
  app.get('/quick', { config, schema }, async () => {
    await sql`select 1`.execute(own);
    return {};
  });
}

interface Bounds {
  max?: number;
  readMs?: number;
  patienceMs?: number;
}

async function serve(
  t: TestContext,
  { max = 4, readMs = 60_000, patienceMs = 60_000 }: Bounds = {},
) {
  const pool = createPool(connectionString, { max, patienceMilliseconds: patienceMs });
  const own = createSharedDb(pool, readMs);
  const app = await createTestApp(own, [slowRoutes, ...routes]);
  t.after(async () => {
    await app.close();
    await own.destroy();
  });
  const ask = (method: 'GET' | 'POST', path: string, headers: Record<string, string>) =>
    inject(app, { method, url: `/v1${path}`, headers });
  return { app, pool, ask };
}

/** Nobody reads the table until this is called, or the test has ended. */
async function lockSlow(t: TestContext): Promise<() => Promise<void>> {
  const trx = await db.startTransaction().execute();
  await sql`lock table slow in access exclusive mode`.execute(trx);
  async function unlock(): Promise<void> {
    if (!trx.isRolledBack) await trx.rollback().execute();
  }
  t.after(unlock);
  return unlock;
}

async function waitForLock(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_locks
    where not granted and relation = 'slow'::regclass`.execute(db);
  return rows[0]?.count ?? 0;
}

const untilLocked = (count: number) =>
  until(`${count} wait for the lock`, waitForLock, (seen) => seen === count);

test('a project with slow requests does not take connections from another one', async (t) => {
  const { ask, pool } = await serve(t);
  const unlock = await lockSlow(t);
  const slow = Array.from({ length: 20 }, () => ask('GET', '/slow', one));
  await until(
    'all others wait',
    () => waitingFor(pool),
    (count) => count >= 18,
  );
  await untilLocked(2);
  for (let at = 0; at < 20; at += 1) {
    assert.equal((await ask('GET', '/quick', other)).statusCode, 200);
  }
  assert.equal(await waitForLock(), 2, 'half of the connections, and no more');
  await unlock();
  for (const { statusCode } of await Promise.all(slow)) assert.equal(statusCode, 200);
});

test('the reads of a project have two connections for each processor, and its changes have others', async (t) => {
  const max = 64;
  const { ask } = await serve(t, { max });
  const unlock = await lockSlow(t);
  const most = Math.min(max / 2, 2 * availableParallelism());
  const reads = Array.from({ length: max }, () => ask('GET', '/slow', one));
  await untilLocked(most);
  const others = Math.min(4, max / 2 - most);
  const changes = Array.from({ length: others }, () => ask('POST', '/slow', one));
  await untilLocked(most + others);
  await unlock();
  for (const { statusCode } of await Promise.all([...reads, ...changes])) {
    assert.equal(statusCode, 200);
  }
});

test('a project that waits too long for its own share is refused, and accepted later', async (t) => {
  const { ask } = await serve(t, { patienceMs: 300 });
  const unlock = await lockSlow(t);
  const slow = [ask('GET', '/slow', one), ask('GET', '/slow', one)];
  await untilLocked(2);
  const refused = await ask('GET', '/quick', one);
  assert.deepEqual([refused.statusCode, refused.json().code], [429, 'rate_limited']);
  assert.match(refused.json().detail, /Your project/);
  assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
  // A change gets a 503, because it may have been done in part.
  const change = await ask('POST', '/slow', one);
  assert.deepEqual([change.statusCode, change.json().code], [503, 'unavailable']);
  assert.match(change.json().detail, /Your project/);
  await unlock();
  await Promise.all(slow);
  assert.equal((await ask('GET', '/quick', one)).statusCode, 200);
});

test('a read that takes too long is aborted, and a write is not', async (t) => {
  const { ask } = await serve(t, { readMs: 500 });
  const unlock = await lockSlow(t);
  const write = ask('POST', '/slow', one);
  await untilLocked(1);
  const read = await ask('GET', '/slow', one);
  assert.deepEqual([read.statusCode, read.json().code], [503, 'query_timeout']);
  assert.match(read.json().detail, /Ask for less/);
  assert.match(String(read.headers['retry-after']), /^[1-9]\d*$/);
  await untilLocked(1);
  await unlock();
  assert.equal((await write).statusCode, 200);
});

test('a write has its own timeout on a connection that was used for a read', async (t) => {
  const { ask } = await serve(t, { max: 1, readMs: 500 });
  assert.equal((await ask('GET', '/quick', one)).statusCode, 200);
  const unlock = await lockSlow(t);
  const write = ask('POST', '/slow', one);
  await untilLocked(1);
  // If the timeout applied to the write, it would have ended before this read.
  const { ask: askBeside } = await serve(t, { readMs: 1000 });
  assert.equal((await askBeside('GET', '/slow', one)).statusCode, 503);
  await untilLocked(1);
  await unlock();
  assert.equal((await write).statusCode, 200);
});

test('requests that need a connection for each step work with a single one', async (t) => {
  const { app } = await serve(t, { max: 1 });
  const created = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      inject(app, {
        method: 'POST',
        url: '/v1/servers',
        headers: { ...one, 'idempotency-key': `k${at}` },
        payload: serverBody(place, { name: `one-${at}` }),
      }),
    ),
  );
  assert.deepEqual([...new Set(created.map(({ statusCode }) => statusCode))], [201]);
});

test('the queries of a request body and of a streamed list have the claim of their request', async (t) => {
  const seen: (string | undefined)[] = [];
  const note = () => seen.push(currentClaim()?.share);
  const { id: oneId } = await projectOf('default');
  const { id: otherId } = await projectOf('other');
  function rows(length: number) {
    const text = 'x'.repeat(1000);
    return async function* () {
      for (let at = 0; at < length; at += 1) {
        note();
        yield text;
      }
    };
  }
  const app = await createTestApp(db, [
    (api) => {
      api.post('/body', { config, schema }, (request) => {
        note();
        return changesNothing(request, Promise.resolve({}));
      });
      api.get('/list', { config, schema }, async (request, reply) =>
        reply.send(await api.streams.begin(request, reply, rows(200)())),
      );
    },
  ]);
  t.after(() => app.close());
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  // Both requests use one connection, whose events begin in the claim of the first one.
  const socket = connect(Number(url.port), url.hostname);
  t.after(() => socket.destroy());
  const head = (line: string, { authorization }: { authorization: string }, more: string[] = []) =>
    [
      `${line} HTTP/1.1`,
      'Host: localhost',
      `Authorization: ${authorization}`,
      ...more,
      '',
      '',
    ].join('\r\n');
  let answered = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answered += text;
  });
  const answers = (count: number) =>
    until(
      `${count} answers`,
      () => answered.split('HTTP/1.1 200').length - 1,
      (n) => n === count,
    );
  const ended = () => until('the list has ended', () => answered.endsWith('\r\n0\r\n\r\n'));
  socket.write(head('GET /v1/list', one));
  await ended();
  answered = '';
  const type = ['Content-Type: application/json', 'Content-Length: 4'];
  socket.write(head('POST /v1/body', other, type));
  socket.write('{"a"'.slice(0, 1));
  socket.write(' } ');
  await answers(1);
  answered = '';
  socket.write(head('GET /v1/list', other));
  await ended();
  const expected = [...Array(200).fill(oneId), otherId, ...Array(200).fill(otherId)];
  assert.deepEqual(
    seen,
    expected.map((id) => `project ${id}`),
  );
});

async function projectOf(name: string) {
  return await db
    .selectFrom('projects')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
}

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createDb, createPool, type Db } from '../db/connection.ts';
import { createTestApp } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';

const { db, close } = await createTestDatabase();
after(close);

/** The response to a request whose query fails in this way. */
async function answerTo(
  query: (on: Db) => Promise<unknown>,
  on = db,
  method: 'GET' | 'POST' = 'GET',
) {
  const routes = (app: Parameters<Parameters<typeof createTestApp>[1][number]>[0]) => {
    const route = { config: { scope: 'public' }, schema: { hide: true } } as const;
    app.route({ ...route, method, url: '/trouble', handler: () => query(on) });
  };
  const app = await createTestApp(on, [routes]);
  try {
    const { statusCode, headers, body } = await inject(app, { method, url: '/v1/trouble' });
    const { code, detail } = JSON.parse(body);
    assert.deepEqual([statusCode, code], [503, 'unavailable'], body);
    assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
    return detail;
  } finally {
    await app.close();
  }
}

test('a request says that the database is read-only, as a standby is after a failover', async () => {
  const change = (on: Db) =>
    on.transaction().execute(async (trx) => {
      await sql`set transaction read only`.execute(trx);
      await sql`update installation set id = id`.execute(trx);
    });
  assert.match(await answerTo(change), /read-only/);
});

test('a request says that the disk of the database is full', async () => {
  const full = sql`do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`;
  const wayOut = /Its operator has to free disk space there\. Send the request again after that\.$/;
  for (const [method, words] of [
    ['GET', /^The disk of the database is full, so this cannot be read\./],
    ['POST', /^The disk of the database is full, so nothing can be changed\./],
  ] as const) {
    const detail = await answerTo((on) => full.execute(on), db, method);
    assert.match(detail, words);
    assert.match(detail, wayOut);
  }
});

test('a request says that the database is unavailable', async () => {
  const nowhere = createDb(createPool('postgresql://x@127.0.0.1:1/x'));
  after(() => nowhere.destroy());
  assert.match(await answerTo((on) => sql`select 1`.execute(on), nowhere), /cannot reach/);
});

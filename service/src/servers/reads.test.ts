import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createDb, createPool } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { routes } from '../routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { recordStatements } from '../testing/explain.ts';
import { installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { findServer } from './queries.ts';

// Tests the number of queries of each read of servers, because a query costs more than its rows.

const { db, connectionString, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { headers } = await createTestToken(db);
const count = 101;
let id = 0;
for (let at = 0; at < count; at += 1) id = await enterServer(db, place, { hostname: `web-${at}` });
const pool = createPool(connectionString, { max: 2 });
const recorded = recordStatements(pool);
const own = createDb(pool);
const app = await createTestApp(own, [...routes]);
after(async () => {
  await app.close();
  await own.destroy();
});

const reads = [
  { path: `/servers/${id}`, queries: 1 },
  { path: `/servers/${id}/status`, queries: 1 },
  // The ids, and then their rows: see decision 19.
  { path: '/servers?limit=100', queries: 2 },
  { path: '/servers?limit=100&status=started', queries: 2 },
];

for (const { path, queries } of reads) {
  const title = path.replace(String(id), '{id}');
  test(`${queries} queries read the servers of ${title}`, async () => {
    recorded.length = 0;
    const answer = await inject(app, { url: `/v1${path}`, headers });
    assert.equal(answer.statusCode, 200, answer.body);
    const ofServers = recorded.filter(({ text }) => text.includes('from "servers"'));
    assert.equal(ofServers.length, queries, ofServers.map(({ text }) => text).join('\n'));
  });
}

test('concurrent reads of servers share queries, and each gets its own server', async () => {
  const ids = Array.from({ length: 40 }, (_, at) => id - (at % 20));
  await inject(app, { url: `/v1/servers/${id}`, headers });
  recorded.length = 0;
  const answers = await Promise.all(
    ids.map((one) => inject(app, { url: `/v1/servers/${one}`, headers })),
  );
  assert.deepEqual(
    answers.map((answer) => answer.json().id),
    ids,
  );
  const count = recorded.filter(({ text }) => text.includes('from "servers"')).length;
  assert.ok(count < ids.length / 2, `${count} queries`);
});

test('PostgreSQL plans the query for one server no more once it is prepared', async () => {
  await db.transaction().execute(async (trx) => {
    const project = new Project(trx, place.projectId);
    for (let times = 0; times < 12; times += 1) assert.ok(await findServer(project, id));
    const { rows } = await sql<{ generic: number; custom: number }>`
      select generic_plans as generic, custom_plans as custom from pg_prepared_statements
      where statement like '%"servers"."id" = $%'`.execute(trx);
    // It decides for the generic plan at the sixth execution.
    assert.equal(rows[0]?.custom, 5);
    assert.ok(Number(rows[0]?.generic) > 1);
  });
});

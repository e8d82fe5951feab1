import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { recordStatements } from '../testing/explain.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { auditRoutes } from './routes.ts';

// Tests the number of queries of reads, because a query costs more than its rows.

const { db, pool, close } = await createTestDatabase();
after(close);
const recorded = recordStatements(pool);
const app = await createTestApp(db, [auditRoutes]);
after(() => app.close());
const { headers } = await createTestToken(db);

await sql`
  insert into audit_entries (action, status, source, by_administrator, request_id)
  select 'server_start', 202, 'api', false, 'request-' || n from generate_series(1, 120) n`.execute(
  db,
);

const reads = [
  { path: '/audit?limit=100', queries: 1, entries: 100 },
  { path: '/audit/export', queries: 2, entries: 120 },
];

for (const { path, queries, entries } of reads) {
  test(`${queries} queries read ${entries} entries of ${path}`, async () => {
    recorded.length = 0;
    const answer = await inject(app, { url: `/v1${path}`, headers });
    assert.equal(answer.statusCode, 200, answer.body);
    assert.equal(answer.body.match(/server_start/g)?.length, entries);
    const ofEntries = recorded.filter(({ text }) => text.includes('from "audit_log"'));
    assert.equal(ofEntries.length, queries);
  });
}

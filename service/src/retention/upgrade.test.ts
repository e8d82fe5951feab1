import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { listAuditEntries } from '../audit/queries.ts';
import { migrate } from '../db/migrate.ts';
import { Project } from '../db/project.ts';
import { createEmptyDatabase } from '../testing/postgres.ts';
import { auditPartitions } from './audit-queries.ts';
import { keepRecords } from './retention.ts';

const { db, close } = await createEmptyDatabase();
after(close);
const { signal } = new AbortController();
/** Five entries per day, over more than three years. */
const many = 6000;
const now = new Date('2027-01-15T00:00:00Z');

/** Makes an entry like the previous release. */
const enterAsBefore = (action: string) =>
  sql`
  insert into audit_log (project_id, token_id, user_id, source, by_administrator, address, action,
    target_kind, target_id, status, code, request_id, details)
  values (1, null, null, 'api', false, '192.0.2.1', ${action}, null, null, 200, null, ${action}, null)
`.execute(db);

/** Reads a page of entries like the previous release, and like this one. */
async function pageAsBefore(after: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id, at, project_id, token_id, user_id, action, target_kind, target_id, status, code,
      request_id, source, details
    from audit_log where (id, id) > (${after}, ${after}) order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

async function allIds(): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const last = ids.at(-1);
    const after = last === undefined ? undefined : { value: last, id: last };
    const shown = { showsAllAddresses: true, descending: false };
    const page = await listAuditEntries(new Project(db, 1), {}, shown).page(after, 1000);
    if (page.length === 0) return ids;
    ids.push(...page.map(({ id }) => id));
  }
}

const countBefore = async () =>
  (await sql<{ count: number }>`select count(*) from audit_log_before`.execute(db)).rows[0]?.count;

before(async () => {
  await migrate(db, '0023-last-scrapes');
  await sql`
    insert into audit_log (project_id, at, action, status, source, by_administrator, address, request_id)
    select 1, ${now}::timestamptz - (${many} - n) * interval '4.8 hours', 'old', 200, 'api', false,
      '192.0.2.1', n::text
    from generate_series(1, ${many}) n`.execute(db);
  await migrate(db);
});

describe('an audit log from before there were partitions', () => {
  it('can be read and extended by both releases at any time', async () => {
    await enterAsBefore('new');
    const ids = await allIds();
    assert.equal(ids.length, many + 1);
    assert.deepEqual(await pageAsBefore(many - 2, 10), ids.slice(many - 2));
    assert.equal(await countBefore(), many, 'new entries are in partitions');
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(ids).size, ids.length);
  });

  it('is moved to partitions with its ids, except for entries that are too old', async () => {
    const ids = await allIds();
    await keepRecords(db, { now, oldBy: now, signal });
    const left = await allIds();
    const { rows } = await sql<{ oldest: string }>`
      select min(at) as oldest from audit_log`.execute(db);
    assert.equal(rows[0]?.oldest.slice(0, 10), '2025-12-01');
    assert.equal(await countBefore(), 0);
    assert.deepEqual(left, ids.slice(-left.length));
    const months = (await auditPartitions(db)).map(({ name }) => name);
    assert.ok(months.includes('audit_entries_2025_12') && months.includes('audit_entries_2027_03'));
    assert.ok(!months.includes('audit_entries_2025_11'));
    await enterAsBefore('newer');
    assert.equal((await pageAsBefore(left.at(-1) ?? 0, 10)).length, 1);
  });

  it('is also moved if nothing counts as old yet', async () => {
    await sql`
      insert into audit_log_before (at, action, status, source, by_administrator)
      overriding system value values ('2019-05-05', 'ancient', 200, 'api', false)`.execute(db);
    await keepRecords(db, { now, oldBy: null, signal });
    assert.equal(await countBefore(), 0);
    assert.ok((await auditPartitions(db)).some(({ name }) => name === 'audit_entries_2019_05'));
    const { audit_months: dropped } = await keepRecords(db, { now, oldBy: now, signal });
    assert.equal(dropped, 1);
  });
});

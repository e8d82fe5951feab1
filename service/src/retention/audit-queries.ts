import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import { varies } from '../db/filters.ts';
import { tryLockRetention } from './lock-queries.ts';
import { monthOf } from './months.ts';

/** The number of future months that have a partition. */
const monthsAhead = 2;
const movedAtOnce = 5000;

interface Partition {
  name: string;
  month: Date;
}

/** `audit_entries_2026_11` */
const partitionName = (month: Date) =>
  `audit_entries_${month.toISOString().slice(0, 7).replace('-', '_')}`;

/**
 * Creates the partitions of this month and the following ones, and of every month whose entries are
 * in the default partition, as after a long time without a service. These are moved to their own.
 */
export async function makeAuditPartitions(db: Db, now: Date): Promise<void> {
  const ahead = Array.from({ length: monthsAhead + 1 }, (_, later) => monthOf(now, later));
  const strayed = await monthsIn(db, 'audit_entries_default');
  await makePartitions(db, [...ahead, ...strayed]);
}

async function makePartitions(db: Db, months: Date[]): Promise<void> {
  const there = new Set((await auditPartitions(db)).map(({ name }) => name));
  for (const month of months) {
    if (there.has(partitionName(month))) continue;
    await db.transaction().execute(async (trx) => {
      if (await tryLockRetention(trx)) await makePartition(trx, month);
    });
    there.add(partitionName(month));
  }
}

/**
 * The partition is attached with its rows, because "create ... partition of" would lock out
 * readers.
 */
async function makePartition(trx: Trx, month: Date): Promise<void> {
  const name = partitionName(month);
  if ((await auditPartitions(trx)).some((one) => one.name === name)) return;
  const bounds = [month, monthOf(month, 1)].map((time) => sql.lit(time.toISOString()));
  const [from, to] = bounds;
  await waitBriefly(trx);
  // New entries wait here. Otherwise an entry that has already selected the default partition would be refused.
  await sql`lock table only audit_entries in share row exclusive mode`.execute(trx);
  await sql`lock table audit_entries_default in access exclusive mode`.execute(trx);
  await sql`create table ${sql.ref(name)} (like audit_entries including all)`.execute(trx);
  // Moving entries to the partition of their month does not change the log.
  await sql`alter table audit_entries_default disable trigger audit_entries_stay`.execute(trx);
  await sql`
    ${varies} with strayed as (
      delete from audit_entries_default where at >= ${from} and at < ${to} returning *
    ) insert into ${sql.ref(name)} select * from strayed`.execute(trx);
  await sql`alter table audit_entries_default enable trigger audit_entries_stay`.execute(trx);
  await sql`
    alter table audit_entries attach partition ${sql.ref(name)} for values from (${from}) to (${to})
  `.execute(trx);
}

/** Limits the wait for a lock, so that a long-running read does not block all others behind a change of tables. */
async function waitBriefly(trx: Trx): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(trx);
}

/** The partitions by month, the oldest first. */
export async function auditPartitions(db: Queryable): Promise<Partition[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'audit_entries'::regclass and c.relname ~ '_\\d+_\\d\\d$'
    order by 1`.execute(db);
  return rows.map(({ name }) => {
    const [year, month] = name.split('_').slice(-2).map(Number);
    return { name, month: new Date(Date.UTC(year ?? 0, (month ?? 1) - 1)) };
  });
}

async function monthsIn(db: Queryable, table: string): Promise<Date[]> {
  const { rows } = await sql<{ month: string }>`
    select distinct date_trunc('month', at) as month from ${sql.ref(table)}`.execute(db);
  return rows.map(({ month }) => new Date(month));
}

/** Drops the months that ended before a time, and returns them. */
export async function dropAuditPartitions(db: Db, before: Date): Promise<string[]> {
  const dropped: string[] = [];
  for (const { name, month } of await auditPartitions(db)) {
    if (monthOf(month, 1) > before) break;
    await db.transaction().execute(async (trx) => {
      if (!(await tryLockRetention(trx))) return;
      await waitBriefly(trx);
      await sql`drop table if exists ${sql.ref(name)}`.execute(trx);
      dropped.push(name);
    });
  }
  return dropped;
}

/**
 * Moves some of the entries from before there were partitions, the oldest first, and removes those from before a time.
 * Returns their number; 0 if there are no more, or another service is moving them.
 */
export async function moveEarlierEntries(db: Db, before: Date): Promise<number> {
  const next = sql`select id from audit_log_before order by id limit ${movedAtOnce}`;
  const { rows } = await sql<{ month: string }>`
    select distinct date_trunc('month', at) as month from audit_log_before where id in (${next})
    and at >= ${before}`.execute(db);
  await makePartitions(
    db,
    rows.map(({ month }) => new Date(month)),
  );
  return await db.transaction().execute(async (trx) => {
    if (!(await tryLockRetention(trx))) return 0;
    const { rows: moved } = await sql<{ count: number }>`
      with taken as (delete from audit_log_before where id in (${next}) returning *),
      moved as (
        insert into audit_entries (id, at, project_id, token_id, address, action, target_kind,
          target_id, status, code, request_id, user_id, source, by_administrator, details)
        select id, at, project_id, token_id, address, action, target_kind,
          target_id, status, code, request_id, user_id, source, by_administrator, details
        from taken where at >= ${before}
      ) select count(*) as count from taken`.execute(trx);
    return moved[0]?.count ?? 0;
  });
}

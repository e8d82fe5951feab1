import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import { beginningOf, later, type Resolution, resolutions } from './history.ts';

/** `usage_15s_1795278600`: by the second that its rows begin at. */
const partitionName = (table: string, from: Date) => `${table}_${from.getTime() / 1000}`;

/** Partitions that are there, by database: rows are written far more often than partitions made. */
const knownPartitions = new WeakMap<Db, Set<string>>();

/** Makes the partitions for rows of this time, of the one before and of the one to come. */
export async function ensurePartitions(db: Db, time: Date): Promise<void> {
  const known = knownPartitions.get(db) ?? new Set<string>();
  knownPartitions.set(db, known);
  for (const resolution of resolutions) {
    const { table, partitionSeconds } = resolution;
    for (const periods of [-1, 0, 1]) {
      const from = later(beginningOf(time, partitionSeconds), periods * partitionSeconds);
      const name = partitionName(table, from);
      if (known.has(name)) continue;
      await makePartition(db, resolution, from);
      known.add(name);
    }
  }
}

/** After a row found no partition: another replica may have dropped it, or an administrator. */
export const forgetPartitions = (db: Db) => knownPartitions.delete(db);

async function makePartition(
  db: Db,
  { table, partitionSeconds }: Resolution,
  from: Date,
): Promise<void> {
  const name = partitionName(table, from);
  await db.transaction().execute(async (trx) => {
    await lockPartitions(trx);
    if ((await partitionsOf(trx, table)).includes(name)) return;
    const to = later(from, partitionSeconds);
    // Attached, for "create ... partition of" would lock out whoever reads.
    await sql`
      create table ${sql.ref(name)} (like ${sql.ref(table)} including all);
      alter table ${sql.ref(table)} attach partition ${sql.ref(name)}
        for values from (${sql.lit(from.toISOString())}) to (${sql.lit(to.toISOString())})
    `.execute(trx);
  });
}

/** Makes and drops them one at a time, over all replicas. */
async function lockPartitions(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('berth usage partitions', 0))`.execute(
    trx,
  );
}

async function partitionsOf(db: Queryable, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass order by 1
  `.execute(db);
  return rows.map((row) => row.name);
}

/** Drops the partitions whose rows are all older than they are kept; how many. */
export async function dropOldPartitions(db: Db, now: Date): Promise<number> {
  let dropped = 0;
  for (const { table, keptSeconds, partitionSeconds } of resolutions) {
    const before = partitionName(table, later(now, -keptSeconds - partitionSeconds));
    const isOld = (name: string) => secondOf(name) <= secondOf(before);
    for (const name of (await partitionsOf(db, table)).filter(isOld)) {
      await db.transaction().execute(async (trx) => {
        await lockPartitions(trx);
        // Who reads a long time is not to keep all the others waiting behind this.
        await sql`set local lock_timeout = '2s'`.execute(trx);
        await sql`drop table if exists ${sql.ref(name)}`.execute(trx);
      });
      knownPartitions.get(db)?.delete(name);
      dropped += 1;
    }
  }
  return dropped;
}

const secondOf = (partition: string) => Number(partition.split('_').at(-1));

type Rollup = { from: Resolution; to: Resolution };

/**
 * Makes the next span of a coarser table, if it is over, in one transaction with the note that it
 * is made. Answers whether there was one; one that another replica makes is left to it.
 * @param over until when rows of the finer table are there
 */
export async function rollUpNext(db: Db, { from, to }: Rollup, over: Date): Promise<boolean> {
  const step = to.stepSeconds;
  return await db.transaction().execute(async (trx) => {
    const query = trx.selectFrom('usage_rollups').select('done_until');
    const due = query.where('step_seconds', '=', step).forUpdate().skipLocked();
    const row = await due.executeTakeFirst();
    if (!row) return false;
    const begin = nextSpan(new Date(row.done_until), { from, to }, over);
    const end = later(begin, step);
    const isOver = end <= over;
    if (isOver) await rollUp(trx, { from, to }, begin, end);
    await trx
      .updateTable('usage_rollups')
      .set({ done_until: isOver ? end : begin })
      .where('step_seconds', '=', step)
      .execute();
    return isOver;
  });
}

/** Until when the rows of so many seconds are made. */
export async function madeUntil(db: Queryable, stepSeconds: number): Promise<Date> {
  const query = db.selectFrom('usage_rollups').select('done_until');
  const row = await query.where('step_seconds', '=', stepSeconds).executeTakeFirstOrThrow();
  return new Date(row.done_until);
}

/** Not before what is still there; nor ahead of the clock, which may have been set back. */
function nextSpan(doneUntil: Date, { from, to }: Rollup, over: Date): Date {
  const oldest = beginningOf(
    later(over, -from.keptSeconds - from.partitionSeconds),
    to.stepSeconds,
  );
  const newest = beginningOf(over, to.stepSeconds);
  return new Date(Math.min(Math.max(doneUntil.getTime(), oldest.getTime()), newest.getTime()));
}

const mean = (column: 'cpu' | 'ram' | 'disk') => {
  const value = sql.ref(column);
  return sql`(sum(${value}::float8 * samples) / sum(samples) filter (where ${value} is not null))`;
};

/** Sums of what passed, and means of what was used: for rows of any resolution. */
export const summary = sql`
  sum(traffic_in)::bigint as traffic_in,
  sum(traffic_out)::bigint as traffic_out,
  sum(disk_read)::bigint as disk_read,
  sum(disk_write)::bigint as disk_write,
  ${mean('cpu')} as cpu,
  ${mean('ram')} as ram,
  ${mean('disk')} as disk`;

async function rollUp(trx: Trx, { from, to }: Rollup, begin: Date, end: Date): Promise<void> {
  await sql`
    insert into ${sql.ref(to.table)}
      (server_id, at, traffic_in, traffic_out, disk_read, disk_write, cpu, ram, disk, samples)
    select server_id, ${begin}::timestamptz, ${summary}, sum(samples)
    from ${sql.ref(from.table)} where at >= ${begin} and at < ${end}
    group by server_id
    on conflict (server_id, at) do update set
      traffic_in = excluded.traffic_in,
      traffic_out = excluded.traffic_out,
      disk_read = excluded.disk_read,
      disk_write = excluded.disk_write,
      cpu = excluded.cpu,
      ram = excluded.ram,
      disk = excluded.disk,
      samples = excluded.samples
  `.execute(trx);
}

/** Runs that ended long ago; of each server the last one stays. */
export async function deleteOldRuns(db: Queryable, now: Date): Promise<number> {
  const result = await db
    .deleteFrom('usage_runs')
    .where('read_at', '<', later(now, -24 * 3600).toISOString())
    .where(
      sql<boolean>`recorded < (select max(recorded) from usage_runs others
        where others.server_id = usage_runs.server_id)`,
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../../db/connection.ts';
import { varies } from '../../db/filters.ts';
import { beginningOf, coarserThan, later, type Resolution, resolutions } from './history.ts';

/** The name of a partition, such as `usage_15s_1795278600`, with the second at which its rows begin. */
const partitionName = (table: string, from: Date) => `${table}_${from.getTime() / 1000}`;

/** Existing partitions by database: rows are written far more often than partitions are created. */
const knownPartitions = new WeakMap<Db, Set<string>>();

/** Creates the partitions for rows of this time, of the previous one and of the next one. */
export async function ensurePartitions(db: Db, time: Date): Promise<void> {
  const known = knownPartitions.get(db) ?? new Set<string>();
  knownPartitions.set(db, known);
  for (const resolution of resolutions) {
    const { table, partitionSeconds } = resolution;
    for (const periods of [-1, 0, 1]) {
      const from = later(beginningOf(time, partitionSeconds), periods * partitionSeconds);
      const name = partitionName(table, from);
      if (known.has(name)) continue;
      await db.transaction().execute(async (trx) => {
        await lockPartitions(trx);
        await makePartition(trx, resolution, from);
      });
      known.add(name);
    }
  }
}

/**
 * Must be called after a row had no partition, which another replica or an administrator may have dropped.
 */
export const forgetPartitions = (db: Db) => knownPartitions.delete(db);

/**
 * Creates the partition if there is none. After a clock was set back, rows may belong to a
 * partition that was dropped after its rows were rolled up. It is then created with the coarser
 * rows as its first rows, so that rolling it up again never loses anything; the partition of the
 * coarser rows must exist before it.
 */
async function makePartition(trx: Trx, resolution: Resolution, from: Date): Promise<void> {
  const { table, partitionSeconds } = resolution;
  const name = partitionName(table, from);
  if ((await partitionsOf(trx, table)).some((one) => one.name === name)) return;
  const coarser = coarserThan(resolution);
  if (coarser) await makePartition(trx, coarser, beginningOf(from, coarser.partitionSeconds));
  const to = later(from, partitionSeconds);
  await sql`create table ${sql.ref(name)} (like ${sql.ref(table)} including all)`.execute(trx);
  if (coarser) {
    await sql`
      ${varies} insert into ${sql.ref(name)} select * from ${sql.ref(coarser.table)}
      where at >= ${from} and at < ${to}
    `.execute(trx);
  }
  // The partition is attached later, because "create ... partition of" would lock out readers.
  await sql`
    alter table ${sql.ref(table)} attach partition ${sql.ref(name)}
      for values from (${sql.lit(from.toISOString())}) to (${sql.lit(to.toISOString())})
  `.execute(trx);
}

/** Serialises creating and dropping partitions over all replicas. */
export async function lockPartitions(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('berth usage partitions', 0))`.execute(
    trx,
  );
}

/** The oldest comes first. */
export async function partitionsOf(db: Queryable, table: Resolution['table']) {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass
  `.execute(db);
  return rows
    .map(({ name }) => ({ name, from: new Date(Number(name.split('_').at(-1)) * 1000) }))
    .sort((one, other) => one.from.getTime() - other.from.getTime());
}

type Rollup = { from: Resolution; to: Resolution };

/**
 * Rolls up the oldest span of a coarser table that is due and complete, from all finer rows, in one
 * transaction with the note that it is done. Returns whether there was one; false while another
 * replica does it.
 * @param over the end of the time for which the finer table is complete
 */
export async function rollUpNext(db: Db, { from, to }: Rollup, over: Date): Promise<boolean> {
  const step = to.stepSeconds;
  const newest = beginningOf(over, step);
  return await db.transaction().execute(async (trx) => {
    const query = trx.selectFrom('usage_rollups').select('step_seconds');
    const lock = query.where('step_seconds', '=', step).forUpdate().skipLocked();
    if (!(await lock.executeTakeFirst())) return false;
    const begin = await firstDue(trx, step, newest);
    if (begin) {
      // The notes are read before the rows: later rows leave a note that stays.
      const due = trx.deleteFrom('usage_due').where('step_seconds', '=', step);
      await due.where('at', '=', begin.toISOString()).execute();
      await rollUp(trx, { from, to }, begin, later(begin, step));
    }
    await trx
      .updateTable('usage_rollups')
      .set({ done_until: (await firstDue(trx, step, newest)) ?? newest })
      .where('step_seconds', '=', step)
      .execute();
    return begin !== undefined;
  });
}

async function firstDue(trx: Trx, step: number, before: Date): Promise<Date | undefined> {
  const query = trx.selectFrom('usage_due').select('at').where('step_seconds', '=', step);
  const oldest = query.where('at', '<', before.toISOString()).orderBy('at').limit(1);
  const row = await oldest.executeTakeFirst();
  return row && new Date(row.at);
}

/** The end of the time up to which rows of this step are rolled up. */
export async function madeUntil(db: Queryable, stepSeconds: number): Promise<Date> {
  const query = db.selectFrom('usage_rollups').select('done_until');
  const row = await query.where('step_seconds', '=', stepSeconds).executeTakeFirstOrThrow();
  return new Date(row.done_until);
}

const mean = (column: 'cpu' | 'ram' | 'disk') => {
  const value = sql.ref(column);
  return sql`(sum(${value}::float8 * samples) / sum(samples) filter (where ${value} is not null))`;
};

/**
 * Limits a value of an engine, so that a too large one does not prevent a span from being rolled up. Null if all values
 * are null, because `least` ignores nulls.
 */
const total = (column: 'traffic_in' | 'traffic_out' | 'disk_read' | 'disk_write') => {
  const value = sql.ref(column);
  return sql`(case when count(${value}) > 0
    then least(sum(${value}), 9223372036854775807) end)::bigint`;
};

/** Sums of traffic and means of usage, from rows of any resolution. */
export const summary = sql`
  ${total('traffic_in')} as traffic_in,
  ${total('traffic_out')} as traffic_out,
  ${total('disk_read')} as disk_read,
  ${total('disk_write')} as disk_write,
  ${mean('cpu')} as cpu,
  ${mean('ram')} as ram,
  ${mean('disk')} as disk`;

async function rollUp(trx: Trx, { from, to }: Rollup, begin: Date, end: Date): Promise<void> {
  // The period is most of a new partition, and is found with an index in an older one.
  await sql`
    /* reads all rows */ insert into ${sql.ref(to.table)}
      (server_id, at, traffic_in, traffic_out, disk_read, disk_write, cpu, ram, disk, samples)
    select server_id, ${begin}::timestamptz, ${summary}, least(sum(samples), 32767)
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

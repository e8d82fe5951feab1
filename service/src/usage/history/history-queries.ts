import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../../db/connection.ts';
import { beginningOf, coarserThan, later, type Resolution, resolutions } from './history.ts';

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
      await db.transaction().execute(async (trx) => {
        await lockPartitions(trx);
        await makePartition(trx, resolution, from);
      });
      known.add(name);
    }
  }
}

/** After a row found no partition: another replica may have dropped it, or an administrator. */
export const forgetPartitions = (db: Db) => knownPartitions.delete(db);

/**
 * Makes it unless it is there. A clock that was set back may have rows written of a time whose rows were
 * dropped, after coarser ones had been made of them. Those begin the partition, so that what is made of
 * it anew is never less. For the same reason the coarser rows' own partition is there before it.
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
      insert into ${sql.ref(name)} select * from ${sql.ref(coarser.table)}
      where at >= ${from} and at < ${to}
    `.execute(trx);
  }
  // Attached, for "create ... partition of" would lock out whoever reads.
  await sql`
    alter table ${sql.ref(table)} attach partition ${sql.ref(name)}
      for values from (${sql.lit(from.toISOString())}) to (${sql.lit(to.toISOString())})
  `.execute(trx);
}

/** Makes and drops them one at a time, over all replicas. */
export async function lockPartitions(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('berth usage partitions', 0))`.execute(
    trx,
  );
}

/** The oldest first. */
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
 * Makes the oldest span of a coarser table that is due and over, of all the finer rows that are there, in
 * one transaction with the note that it is made. Answers whether there was one; while another replica
 * makes one, there is none.
 * @param over until when rows of the finer table are there
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
      // Before the rows are read: those that are committed later have an entry that stays.
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

/** Until when the rows of so many seconds are made. */
export async function madeUntil(db: Queryable, stepSeconds: number): Promise<Date> {
  const query = db.selectFrom('usage_rollups').select('done_until');
  const row = await query.where('step_seconds', '=', stepSeconds).executeTakeFirstOrThrow();
  return new Date(row.done_until);
}

const mean = (column: 'cpu' | 'ram' | 'disk') => {
  const value = sql.ref(column);
  return sql`(sum(${value}::float8 * samples) / sum(samples) filter (where ${value} is not null))`;
};

/** No figure of an engine's is to keep a span from being made. Null where all are: `least` passes nulls over. */
const total = (column: 'traffic_in' | 'traffic_out' | 'disk_read' | 'disk_write') => {
  const value = sql.ref(column);
  return sql`(case when count(${value}) > 0
    then least(sum(${value}), 9223372036854775807) end)::bigint`;
};

/** Sums of what passed, and means of what was used: for rows of any resolution. */
export const summary = sql`
  ${total('traffic_in')} as traffic_in,
  ${total('traffic_out')} as traffic_out,
  ${total('disk_read')} as disk_read,
  ${total('disk_write')} as disk_write,
  ${mean('cpu')} as cpu,
  ${mean('ram')} as ram,
  ${mean('disk')} as disk`;

async function rollUp(trx: Trx, { from, to }: Rollup, begin: Date, end: Date): Promise<void> {
  await sql`
    insert into ${sql.ref(to.table)}
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

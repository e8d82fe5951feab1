import { sql } from 'kysely';
import type { Db, Queryable } from '../../db/connection.ts';
import { varies } from '../../db/filters.ts';
import { coarserThan, finerThan, later, type Resolution, resolutions } from './history.ts';
import { forgetPartitions, lockPartitions, partitionsOf } from './history-queries.ts';
import { droppablePartitions, isOld, type Partition } from './retention.ts';

/** Drops partitions that are old enough. Returns those whose rows were not rolled up. */
export async function dropOldPartitions(db: Db, now: Date): Promise<Partition[]> {
  const lost: Partition[] = [];
  for (const resolution of resolutions) {
    const found = await db.transaction().execute(async (trx) => {
      // Locks out other processes that would drop a partition which is being read here.
      await lockPartitions(trx);
      return await findOld(trx, resolution, now);
    });
    for (const { name } of found) {
      const dropped = await db.transaction().execute(async (trx) => {
        await lockPartitions(trx);
        // A long-running read should not block all others behind this lock.
        await sql`set local lock_timeout = '2s'`.execute(trx);
        await sql`lock table only ${sql.ref(resolution.table)} in access exclusive mode`.execute(
          trx,
        );
        // Checks again, now that nobody can write.
        const old = (await findOld(trx, resolution, now)).find((one) => one.name === name);
        if (old) await sql`drop table ${sql.ref(name)}`.execute(trx);
        return old;
      });
      forgetPartitions(db);
      if (dropped?.isDue) lost.push(dropped);
    }
  }
  return lost;
}

async function findOld(db: Queryable, resolution: Resolution, now: Date): Promise<Partition[]> {
  const named = await partitionsOf(db, resolution.table);
  if (!named.some((partition) => isOld(partition, resolution, now))) return [];
  const finer = finerThan(resolution);
  const finerOnes = finer ? await partitionsOf(db, finer.table) : [];
  const step = coarserThan(resolution)?.stepSeconds ?? null;
  const looks = named.map(({ name, from }) => {
    const to = later(from, resolution.partitionSeconds);
    return sql`select ${name} as name, not exists (select from ${sql.ref(name)}) as "isEmpty",
      exists (select from usage_due
        where step_seconds = ${step}::integer and at >= ${from} and at < ${to}) as "isDue"`;
  });
  type Look = Pick<Partition, 'name' | 'isEmpty' | 'isDue'>;
  const { rows } = await sql<Look>`${varies} ${sql.join(looks, sql` union all `)}`.execute(db);
  const partitions = named.flatMap(({ name, from }) => {
    const to = later(from, resolution.partitionSeconds);
    const hasFiner = finerOnes.some((one) => one.from >= from && one.from < to);
    return rows.filter((row) => row.name === name).map((row) => ({ ...row, from, hasFiner }));
  });
  return droppablePartitions(partitions, resolution, now);
}

/** Deletes runs that ended long ago, except for the last one of each server. */
export async function deleteOldRuns(db: Queryable, now: Date): Promise<number> {
  const result = await db
    .deleteFrom('usage_runs')
    .where('read_at', '<', later(now, -24 * 3600).toISOString())
    .where(
      // An index on the time would make each reading of a server change it, too.
      sql<boolean>`/* reads all rows */ recorded < (select max(recorded) from usage_runs others
        where others.server_id = usage_runs.server_id)`,
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

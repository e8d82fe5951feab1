import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';

/** Operations per statement. Each may have 256 KiB of outputs to read. */
const batchSize = 100;

/**
 * The same condition as in the index `operations_with_output`, so that operations without outputs
 * are never read.
 */
export const hasOutput = sql<boolean>`(finished_at is not null and commands <> '[]'
  and not commands @> '[{"output_expired": true}]')`;

/** The results of commands without their outputs. The previous release accepts one without text. */
export function withoutOutput(mark: { output_dropped?: true } = {}) {
  const gone = JSON.stringify({ output: '', output_expired: true, ...mark });
  return sql<string>`(
    select jsonb_agg(result || ${gone}::jsonb order by place)
    from jsonb_array_elements(commands) with ordinality as results (result, place))`;
}

/** The stored size in bytes of all outputs of initial commands in a project. */
export async function storedOutputs(db: Queryable, projectId: number): Promise<number> {
  const { bytes } = await db
    .selectFrom('operations')
    .select(sql<number>`coalesce(sum(output_bytes), 0)::float8`.as('bytes'))
    .where('project_id', '=', projectId)
    .where('output_bytes', '>', 0)
    .executeTakeFirstOrThrow();
  return bytes;
}

/**
 * Removes the oldest outputs of initial commands in a project that is over its quota. The exit
 * statuses stay. Returns of how many operations: 100 at most. Rows that are locked are skipped.
 */
export async function dropOutputs(db: Queryable, projectId: number): Promise<number> {
  const quota = sql`(select max_outputs_mib::bigint * 1048576 from projects where id = ${projectId})`;
  const { numAffectedRows = 0n } = await sql`
    with counted as (
      select id, finished_at, sum(output_bytes) over (order by finished_at desc, id desc) as total
      from operations
      where project_id = ${projectId} and output_bytes > 0 and ${quota} is not null
    ), beyond as (
      select id from operations
      where id in (
        select id from counted where total > ${quota} order by finished_at, id limit ${batchSize})
        and output_bytes > 0
      for update skip locked
    )
    update operations set commands = ${withoutOutput({ output_dropped: true })}
    where id in (select id from beyond)`.execute(db);
  return Number(numAffectedRows);
}

/** The projects that are over their quota of outputs. */
export async function projectsBeyondQuota(db: Queryable): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select projects.id
    from projects join (
      select project_id, sum(output_bytes) as bytes from operations
      where output_bytes > 0 group by project_id
    ) kept on kept.project_id = projects.id
    where bytes > max_outputs_mib::bigint * 1048576
    order by projects.id`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Records the output sizes of operations that ended before these were recorded. Returns of how
 * many: 100 at most; 0 if all are done, or another service is doing it.
 */
export async function recordOutputSizes(db: Queryable): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update operations
    set output_bytes = case when ${hasOutput} then pg_column_size(commands) else 0 end
    where id in (
      select id from operations
      where output_bytes is null and finished_at is not null and commands is not null
      order by id limit ${batchSize} for update skip locked)`.execute(db);
  return Number(numAffectedRows);
}

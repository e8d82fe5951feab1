import { type RawBuilder, sql } from 'kysely';
import type { Db, Queryable } from '../db/connection.ts';
import type { TrafficLimits } from '../locations/limit-queries.ts';

/**
 * Servers that have an allowance or a throttle, with the part of this month's traffic that counts.
 */
function used(which: RawBuilder<unknown>, at: Date | RawBuilder<unknown>) {
  return sql`
    select s.id, s.uuid, s.project_id, s.location_id, s.status, s.traffic_allowance as allowance,
      s.traffic_throttle as throttled_to, l.traffic_policy as policy, l.traffic_throttle as rate,
      counted.bytes,
      coalesce(counted.bytes >= greatest(1, s.traffic_allowance), false)
        and s.traffic_allowance is not null as is_exceeded
    from servers s
    join locations l on l.id = s.location_id
    left join traffic_months t
      on t.server_id = s.id and t.month = ${monthOf(at)}
    cross join lateral (
      select coalesce(case l.traffic_counted
        when 'both' then t.incoming + t.outgoing
        when 'incoming' then t.incoming
        else t.outgoing end, 0) as bytes
    ) counted
    where ${which} and s.deleted_at is null
      and (s.traffic_allowance is not null or s.traffic_throttle is not null)`;
}

/** Servers of a location that may need action: few of all that have an allowance. */
export async function serversNearAllowance(
  db: Queryable,
  locationId: number,
  at: Date,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with used as (${used(sql`s.location_id = ${locationId}`, at)})
    select id from used where bytes * 5 >= allowance * 4 or throttled_to is not null
  `.execute(db);
  return rows.map((row) => row.id);
}

const oneOf = (ids: number[]) => sql`s.id = any(${ids}::bigint[])`;

const monthOf = (at: Date | RawBuilder<unknown>): RawBuilder<string> =>
  sql`date_trunc('month', ${at}::timestamptz, 'utc')::date`;

/**
 * Whether 80 or 100 percent of an allowance are used, computed in fifths. An allowance of 0 is used
 * up by the first byte.
 */
const isUsedTo = (percent: RawBuilder<unknown>) =>
  sql`(used.bytes > 0 and used.bytes * 5 >= used.allowance * (${percent} / 20))`;

/** How many servers of each location have used 80 and 100 percent of this month's allowance. */
export const serversByTrafficUsed = sql`
  select l.name as location, step.percent, step.servers
  from locations l
  left join (
    select location_id, count(*) filter (where ${isUsedTo(sql`80`)}) as most,
      count(*) filter (where ${isUsedTo(sql`100`)}) as whole
    from (${used(sql`true`, sql`now()`)}) used group by location_id
  ) having_used on having_used.location_id = l.id
  cross join lateral (values (80, coalesce(most, 0)), (100, coalesce(whole, 0))) as step (percent, servers)
  where l.removed_at is null`;

export interface Notice {
  id: number;
  project_id: number;
  percent: number;
  allowance: number;
}

/**
 * Records which allowances are used to 80 or 100 percent, once a month each. Returns the new ones.
 */
export async function enterNotices(db: Queryable, ids: number[], at: Date): Promise<Notice[]> {
  const { rows } = await sql<Notice>`
    with used as (${used(oneOf(ids), at)}),
    entered as (
      insert into traffic_notices (server_id, month, percent, allowance, at)
      select used.id, ${monthOf(at)}, step.percent, used.allowance, ${at}
      from used cross join (values (80), (100)) as step (percent)
      where ${isUsedTo(sql`step.percent`)}
      on conflict do nothing
      returning server_id, percent
    )
    select used.id, used.project_id, used.allowance, entered.percent
    from entered join used on used.id = entered.server_id order by used.id, percent
  `.execute(db);
  return rows;
}

/** The desired throttle of a server, and the one that the engine has confirmed. */
export interface Throttle {
  id: number;
  project_id: number;
  uuid: string;
  nodeId: number;
  /** Mbit/s; null means no throttle. */
  rate: number | null;
  /** The rate that the engine has confirmed. */
  throttledTo: number | null;
  /** Why the engine did not apply it. */
  error: string | null;
  /** The limits that its node can enforce. */
  limits: TrafficLimits;
}

const throttle = sql`servers.id, servers.project_id, servers.uuid, servers.node_id as "nodeId",
  servers.traffic_throttle as rate, servers.throttled_to as "throttledTo",
  servers.throttle_error as error,
  json_build_object('incoming', nodes.limits_incoming, 'outgoing', nodes.limits_outgoing) as limits`;

/** Sets the desired throttle of each server. Returns those that changed. */
export async function setThrottles(db: Queryable, ids: number[], at: Date): Promise<Throttle[]> {
  const { rows } = await sql<Throttle>`
    with used as (${used(oneOf(ids), at)}),
    wanted as (
      select id, case when is_exceeded and policy = 'throttle' then rate end as rate from used
    ),
    -- In the order of a request that acts on several servers: in another one, the two could deadlock.
    locked as (
      select servers.id, wanted.rate from servers join wanted on wanted.id = servers.id
      where servers.traffic_throttle is distinct from wanted.rate
      order by servers.id for no key update of servers
    )
    update servers set traffic_throttle = locked.rate from locked, nodes
    where locked.id = servers.id and nodes.id = servers.node_id
      and servers.traffic_throttle is distinct from locked.rate
    returning ${throttle}
  `.execute(db);
  return rows;
}

/** The throttles of the servers of a location that are, were, or should be throttled, by uuid. */
export async function throttlesOf(db: Db, locationId: number): Promise<Map<string, Throttle>> {
  const { rows } = await sql<Throttle>`
    select ${throttle} from servers join nodes on nodes.id = servers.node_id
    where servers.location_id = ${locationId} and servers.deleted_at is null
      and (servers.traffic_throttle is not null or servers.throttled_to is not null
        or servers.throttle_error is not null)
  `.execute(db);
  return new Map(rows.map((row) => [row.uuid, row]));
}

/**
 * Records the rate that the engine confirmed, or why it did not. Returns whether that is a change.
 * Nothing is recorded if the desired rate has changed meanwhile.
 */
export async function enterThrottle(
  db: Queryable,
  { id, rate }: Pick<Throttle, 'id' | 'rate'>,
  { throttledTo, error }: { throttledTo: number | null; error: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    update servers set throttled_to = ${throttledTo}, throttle_error = ${error}
    where id = ${id} and traffic_throttle is not distinct from ${rate}::integer
      and (throttled_to, throttle_error) is distinct from (${throttledTo}::integer, ${error}::text)
    returning id`.execute(db);
  return rows.length > 0;
}

export interface ServerToStop {
  id: number;
  project_id: number;
  /** Whether the guest ignores, or has since ignored, a request to shut down. */
  force: boolean;
}

/**
 * Servers that run, or are about to, although their allowance is used up and the policy is to stop
 * them. Another operation in progress is left to finish; so is a stop, unless the guest ignores it.
 */
export async function serversToStop(
  db: Queryable,
  ids: number[],
  at: Date,
): Promise<ServerToStop[]> {
  const { rows } = await sql<ServerToStop>`
    with used as (${used(oneOf(ids), at)})
    select used.id, used.project_id, how.force
    from used
    left join operations current on current.server_id = used.id and current.finished_at is null
    cross join lateral (
      select used.status = 'paused' or exists (
        select from operations o
        join traffic_notices n
          on n.server_id = o.server_id and n.month = ${monthOf(at)} and n.percent = 100
            and n.allowance = used.allowance
        where o.server_id = used.id and o.status = 'failed' and o.finished_at > n.at
          and (o.kind = 'stop' or o.error ->> 'code' = 'guest_ignored_shutdown')
      ) as force
    ) how
    where is_exceeded and policy = 'stop' and case
      when current.id is null then used.status in ('started', 'paused')
      when current.kind = 'stop' then how.force and current.state ->> 'force' = 'false'
      when current.kind = 'rename' then used.status = 'started'
      else current.kind in ('start', 'restart') end
  `.execute(db);
  return rows;
}

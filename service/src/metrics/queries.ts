import { sql } from 'kysely';
import type { Db, Queryable } from '../db/connection.ts';
import { inTransaction } from '../db/transaction.ts';
import { isReachable } from '../locations/queries.ts';
import { serversByTrafficUsed } from '../traffic/allowance-queries.ts';
import { isOld, isTrafficOlderThan } from '../usage/queries.ts';
import { webhookBacklog } from '../webhooks/sending/backlog-queries.ts';

export interface Figure {
  /** The metric, without its prefix. */
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads for a few seconds at most. PostgreSQL then aborts the queries, so that they do not pile up. */
export async function briefly<T>(db: Db, read: (db: Queryable) => Promise<T>): Promise<T> {
  return await inTransaction(db, async (trx) => {
    await sql`set local statement_timeout = '4s'`.execute(trx);
    return await read(trx);
  });
}

/** Addresses of enabled pools. Reserved ones, such as the gateway, do not count. */
const addressFigures = sql`
  select figure.name,
    jsonb_build_object('location', l.name, 'pool', pool.cidr::text, 'family', 'ipv' || family(cidr)),
    figure.value
  from address_pools pool
  join locations l on l.id = pool.location_id and l.removed_at is null
  left join (select pool_id, count(*)::float8 as held from addresses group by pool_id) taken
    on taken.pool_id = pool.id
  -- Those of instances that belong to no server, which no new server gets either.
  cross join lateral (
    select count(*)::float8 as held from reserved_addresses of_unknown
    where of_unknown.pool_id = pool.id and of_unknown.ip between pool.first and pool.last
      and not exists (select from addresses where addresses.ip = of_unknown.ip)
  ) unknown
  cross join lateral (
    select count(*) as count
    from (values (host(gateway)::inet), (host(network(cidr))::inet),
      (case family(cidr) when 4 then host(broadcast(cidr))::inet end)) as reserved (ip)
    where ip between first and last
  ) reserved
  cross join lateral (values
    ('address_pool_addresses', case
      -- The difference of two addresses is a bigint, which that of a /64 is beyond.
      when case family(cidr) when 6 then first + 4611686018427387904 < last end
        then power(2::float8, 128 - masklen(cidr))
      else (last - first + 1 - reserved.count)::float8
    end),
    ('address_pool_addresses_held', coalesce(taken.held, 0) + unknown.held)
  ) as figure (name, value)
  where pool.enabled`;

/** Metrics of the whole installation in one query. There is no row for a count of zero. */
export async function installationFigures(db: Queryable): Promise<Figure[]> {
  const { rows } = await sql<Figure>`
    /* reads all rows */ with unfinished as (
      select kind, status, wake_at, wake_at <= now() and coalesce(lease_until < now(), true) as is_due
      from operations where finished_at is null
    ),
    on_node as (
      select node_id, sum(ram_mb)::float8 as ram_mb, sum(cpu)::float8 as cpu,
        sum(disk_gb)::float8 as disk_gb
      from servers where deleted_at is null group by node_id
    ),
    node as (
      select jsonb_build_object('location', l.name, 'node', n.name) as labels, n.*,
        coalesce(s.ram_mb, 0) as given_ram_mb, coalesce(s.cpu, 0) as given_cpu,
        coalesce(s.disk_gb, 0) as given_disk_gb
      from nodes n join locations l on l.id = n.location_id and l.removed_at is null
      left join on_node s on s.node_id = n.id
    )
    select 'operations' as name, jsonb_build_object('kind', kind, 'state', status) as labels,
      count(*)::float8 as value
    from unfinished group by kind, status
    union all
    select 'operations_due', '{}', count(*) filter (where is_due)::float8 from unfinished
    union all
    select 'operations_due_oldest_seconds', '{}',
      coalesce(extract(epoch from now() - min(wake_at) filter (where is_due)), 0)::float8
    from unfinished
    union all
    select 'servers', jsonb_build_object('location', l.name, 'status', s.status), count(*)::float8
    from servers s join locations l on l.id = s.location_id
    where s.deleted_at is null group by l.name, s.status
    union all
    select figure.name, jsonb_build_object('location', stale.location), figure.value
    from (
      select locations.name as location,
        count(servers.id) filter (where ${isOld}) as usage,
        count(servers.id) filter (where ${isTrafficOlderThan('10 minutes')}) as traffic
      from locations
      left join servers on servers.location_id = locations.id and servers.deleted_at is null
        and servers.real_status in ('started', 'paused')
      left join usage_current usage on usage.server_id = servers.id
      where locations.removed_at is null
      group by locations.name
    ) as stale
    cross join lateral (values
      ('servers_usage_stale', stale.usage::float8), ('servers_traffic_stale', stale.traffic::float8)
    ) as figure (name, value)
    union all
    select 'usage_rollup_lag_seconds', jsonb_build_object('step', step),
      greatest(0, coalesce(extract(epoch from now() - oldest.at) - seconds, 0))::float8
    from (values ('5m', 300), ('1h', 3600)) as made (step, seconds)
    left join lateral (
      select at from usage_due where step_seconds = seconds order by at limit 1
    ) oldest on true
    union all
    select 'servers_traffic_used', jsonb_build_object('location', location, 'percent', percent::text),
      servers::float8
    from (${serversByTrafficUsed}) as used
    union all
    select 'location_reachable', jsonb_build_object('location', name), ${isReachable}::integer::float8
    from locations where removed_at is null
    union all
    select 'location_network_policy_applied', jsonb_build_object('location', name),
      (policy_applied = policy_wanted and policy_reason is null)::integer::float8
    from locations where removed_at is null and network_kind = 'bridge'
    union all
    select 'location_ipv6_neighbours_bounded', jsonb_build_object('location', name),
      (ipv6_open_for = '{}')::integer::float8
    from locations
    where removed_at is null and network_kind = 'bridge' and ipv6_open_for is not null
    union all
    select 'instances_unknown', jsonb_build_object('location', l.name), count(u.id)::float8
    from locations l left join unknown_instances u on u.location_id = l.id and u.is_ours
    where l.removed_at is null group by l.name
    union all
    select 'drift', jsonb_build_object('location', l.name, 'kind', made.kind), count(d.id)::float8
    from locations l
    cross join (values ('changed'), ('missing_instance'), ('unknown_instance')) as made (kind)
    left join drift d on d.location_id = l.id and d.kind = made.kind
      and d.is_confirmed and not d.is_forgotten
    where l.removed_at is null group by l.name, made.kind
    union all
    select figure.name, labels, figure.value
    from node cross join lateral (values
      ('node_online', (status = 'online')::integer::float8),
      ('node_slow', (slow_since is not null)::integer::float8),
      ('node_addresses_read_timestamp_seconds',
        coalesce(extract(epoch from addresses_read_at), 0)::float8),
      ('node_cores', cpu::float8),
      ('node_cores_given', given_cpu),
      ('node_memory_bytes', ram_mb * 1048576.0),
      ('node_memory_given_bytes', given_ram_mb * 1048576.0),
      ('node_disk_given_bytes', given_disk_gb * 1073741824.0)
    ) as figure (name, value)
    union all
    select figure.name, labels, figure.value
    from node cross join lateral (values
      ('node_memory_used_bytes', ram_used_mb * 1048576.0),
      ('node_disk_bytes', disk_gb * 1073741824.0),
      ('node_disk_used_bytes', disk_used_gb * 1073741824.0)
    ) as figure (name, value)
    -- Until its engine has told, it is not known, and not zero.
    where disk_gb > 0
    union all
    (${addressFigures})
    union all
    select figure.name, jsonb_build_object('waits_for', waits_for), figure.value
    from (${webhookBacklog}) as backlog cross join lateral (values
      ('webhook_deliveries_due', deliveries),
      ('webhook_deliveries_due_oldest_seconds', oldest_seconds)
    ) as figure (name, value)
    union all
    select 'database_size_bytes', '{}', pg_database_size(current_database())::float8
    union all
    select 'database_export_timestamp_seconds', '{}',
      coalesce(extract(epoch from exported_at), 0)::float8
    from installation
  `.execute(db);
  return rows;
}

export interface ServerFigures {
  id: number;
  uuid: string;
  hostname: string;
  project: string;
  isRunning: boolean;
  cpuSeconds: number;
  memoryBytes: number;
  /** Null if it was not read yet, or if the pool does not report it. */
  diskBytes: number | null;
  received: number;
  sent: number;
  /** Seconds since 1970; null: its NIC was not read so far. */
  trafficReadAt: number | null;
}

/**
 * The usage of servers in all projects, ordered by id, in batches. Traffic is the sum over all
 * months, so that it never decreases.
 */
export async function serverFigures(
  db: Queryable,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<ServerFigures[]> {
  const { rows } = await sql<ServerFigures>`
    select s.id, s.uuid, s.hostname, p.name as project,
      s.real_status in ('started', 'paused') as "isRunning",
      u.cpu_seconds as "cpuSeconds",
      u.ram_mb * 1048576.0 as "memoryBytes",
      u.disk_gb * 1073741824.0 as "diskBytes",
      coalesce(t.incoming, 0)::float8 as received,
      coalesce(t.outgoing, 0)::float8 as sent,
      extract(epoch from u.network_read_at)::float8 as "trafficReadAt"
    from servers s
    join projects p on p.id = s.project_id
    join usage_current u on u.server_id = s.id
    cross join lateral (
      select sum(incoming) as incoming, sum(outgoing) as outgoing
      from traffic_months where server_id = s.id
    ) t
    where s.deleted_at is null and s.id > ${afterId}
    order by s.id
    limit ${limit}
  `.execute(db);
  return rows;
}

/** Certificates between Berth and its engines. That of Berth is one for all, and has no location. */
export async function engineCertificates(
  db: Queryable,
): Promise<{ certificate: 'client' | 'server'; location: string; pem: string }[]> {
  const { rows } = await sql<{ certificate: 'client' | 'server'; location: string; pem: string }>`
    select 'client' as certificate, '' as location, client_certificate as pem
    from installation where client_certificate is not null
    union all
    select 'server', name, engine ->> 'server_cert'
    from locations where removed_at is null and engine ? 'server_cert'
  `.execute(db);
  return rows;
}

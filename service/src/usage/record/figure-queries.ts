import { sql } from 'kysely';
import { arrayOf } from '../../db/arrays.ts';
import type { Trx } from '../../db/connection.ts';
import { varies } from '../../db/filters.ts';
import type { Sample } from '../history/samples.ts';
import type { CountedServer, KnownServer } from './counted-servers.ts';
import type { Counted } from './counters.ts';
import type { FoundServer, ScrapeMemory } from './scrapes.ts';

const milliseconds = (column: string) =>
  sql`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;

const serverColumns = sql`
  s.id, s.uuid, s.cpu as cores, u.disk_gb, ${milliseconds('u.disk_read_at')} as disk_at`;

interface ServerRow {
  id: number;
  uuid: string;
  cores: number;
  disk_gb: number | null;
  disk_at: number | null;
}

interface CountedRow {
  recorded: number;
  at: number;
  cpu_seconds: number;
  disk_read: number | null;
  disk_write: number | null;
}

function knownServer({ id, cores, disk_gb, disk_at }: ServerRow): KnownServer {
  const disk = disk_gb === null || disk_at === null ? undefined : { gb: disk_gb, at: disk_at };
  return { id, cores, disk };
}

function countedOf({ recorded, at, cpu_seconds, disk_read, disk_write }: CountedRow): Counted {
  return { recorded, at, cpuSeconds: cpu_seconds, diskRead: disk_read, diskWritten: disk_write };
}

/** The existing servers of a location by UUID, with one index lookup each. */
export async function findServers(
  trx: Trx,
  locationId: number,
  uuids: string[],
): Promise<Map<string, FoundServer>> {
  if (uuids.length === 0) return new Map();
  const { rows } = await sql<ServerRow & CountedRow & { is_shown: boolean }>`
    select ${serverColumns}, u.recorded, ${milliseconds('u.read_at')} as at, u.cpu_seconds,
      u.disk_read, u.disk_write, u.server_id is not null as is_shown
    from unnest(${arrayOf(uuids)}::uuid[]) as r (uuid)
    cross join lateral (
      select id, uuid, cpu from servers
      where uuid = r.uuid and location_id = ${locationId} and deleted_at is null limit 1
    ) s
    left join lateral (select * from usage_current where server_id = s.id limit 1) u on true
  `.execute(trx);
  return new Map(rows.map((row) => [row.uuid, foundServer(row)]));
}

function foundServer(row: ServerRow & CountedRow & { is_shown: boolean }): FoundServer {
  const last = row.recorded > 0 ? countedOf(row) : undefined;
  return { ...knownServer(row), uuid: row.uuid, last, isShown: row.is_shown };
}

/**
 * Makes sure that the memory has the last scrapes of a location's nodes as they are in the
 * database. Needs `lockUsage`.
 */
export async function recallScrapes(
  trx: Trx,
  locationId: number,
  memory: ScrapeMemory,
): Promise<void> {
  const last = await trx
    .selectFrom('usage_scrapes')
    .innerJoin('nodes', 'nodes.id', 'usage_scrapes.node_id')
    .select(['node_id', 'recorded'])
    .where('location_id', '=', locationId)
    .execute();
  const { byNode } = memory;
  if (last.every(({ node_id, recorded }) => byNode.get(node_id)?.recorded === recorded)) return;
  memory.forget();
  for (const { node_id, recorded } of last) byNode.set(node_id, { recorded, count: 0 });
  for (const row of await readScrapes(trx, [...byNode.keys()])) {
    memory.remember(row.uuid, { ...knownServer(row), ...countedOf(row) }, row.node_id);
    const scrape = byNode.get(row.node_id);
    if (scrape) scrape.count += 1;
  }
}

/** Each server once, from the node that reported it last. */
async function readScrapes(trx: Trx, nodeIds: number[]) {
  const { rows } = await sql<ServerRow & CountedRow & { node_id: number }>`
    select distinct on (r.server_id) scrape.node_id, ${serverColumns},
      last.recorded, ${milliseconds('last.read_at')} as at, last.cpu_seconds, last.disk_read,
      last.disk_write
    from usage_scrapes scrape
    cross join unnest(server_ids, cpu_seconds, disk_read, disk_write)
      as r (server_id, cpu_seconds, disk_read, disk_write)
    join servers s on s.id = r.server_id and s.deleted_at is null
    left join usage_current u on u.server_id = s.id
    cross join lateral (
      select scrape.recorded, scrape.read_at, r.cpu_seconds, r.disk_read, r.disk_write
      union all
      -- A service of the version before may have counted since, which knows no scrapes. It marks what
      -- it reads of a NIC alone as recorded, too, but not as read.
      select u.recorded, u.read_at, u.cpu_seconds, u.disk_read, u.disk_write
      where u.recorded > scrape.recorded and u.read_at > scrape.read_at
      order by recorded desc limit 1
    ) last
    where scrape.node_id = any(${nodeIds})
    order by r.server_id, scrape.recorded desc
  `.execute(trx);
  return rows;
}

/** What is recorded of a node's report. */
export interface NodeScrape {
  nodeId: number;
  at: Date;
  recorded: number;
  servers: CountedServer[];
}

/** Replaces the previous scrapes of these nodes. */
export async function saveScrapes(trx: Trx, scrapes: NodeScrape[]): Promise<void> {
  if (scrapes.length === 0) return;
  const rows = scrapes.map(({ nodeId, at, recorded, servers }) => {
    const each = (of: (server: CountedServer) => number | null) => arrayOf(servers.map(of));
    return sql`(${nodeId}::bigint, ${recorded}::bigint, ${at}::timestamptz,
      ${each(({ id }) => id)}::bigint[],
      ${each(({ cpuSeconds }) => cpuSeconds)}::float8[],
      ${each(({ diskRead }) => diskRead)}::bigint[],
      ${each(({ diskWritten }) => diskWritten)}::bigint[])`;
  });
  await sql`
    ${varies} insert into usage_scrapes
      (node_id, recorded, read_at, server_ids, cpu_seconds, disk_read, disk_write)
    values ${sql.join(rows)}
    on conflict (node_id) do update set
      recorded = excluded.recorded,
      read_at = excluded.read_at,
      server_ids = excluded.server_ids,
      cpu_seconds = excluded.cpu_seconds,
      disk_read = excluded.disk_read,
      disk_write = excluded.disk_write
  `.execute(trx);
}

/** The current figures of one server. */
export interface Shown {
  server: CountedServer;
  /** Percent. */
  cpu: number;
  /** MiB; null leaves it as it was. */
  ram: number | null;
  /** Whether the server has no current figures yet. */
  isNew: boolean;
}

/** Writes current figures, unless newer ones are there. */
export async function show(trx: Trx, shown: Shown[]): Promise<void> {
  const known = shown.filter(({ isNew }) => !isNew);
  const others = shown.filter(({ isNew }) => isNew);
  if (known.length > 0)
    await sql`
      update usage_current u set
        read_at = r.read_at,
        recorded = r.recorded,
        cpu_seconds = r.cpu_seconds,
        cpu_percent = r.cpu_percent,
        ram_mb = coalesce(r.ram_mb, u.ram_mb),
        disk_read = r.disk_read,
        disk_write = r.disk_write
      from (${shownRows(known)}) as r
      where u.server_id = r.server_id and u.recorded < r.recorded
    `.execute(trx);
  if (others.length > 0)
    await sql`
      insert into usage_current
        (server_id, recorded, read_at, cpu_seconds, cpu_percent, ram_mb, disk_read, disk_write)
      select server_id, recorded, read_at, cpu_seconds, cpu_percent, coalesce(ram_mb, 0),
        disk_read, disk_write
      from (${shownRows(others)}) as r
    `.execute(trx);
}

function shownRows(shown: Shown[]) {
  const each = (of: (one: Shown) => number | null) => arrayOf(shown.map(of));
  return sql`
    select server_id, recorded, to_timestamp(read_at / 1000) as read_at, cpu_seconds, cpu_percent,
      ram_mb, disk_read, disk_write
    from unnest(
      ${each(({ server }) => server.id)}::bigint[],
      ${each(({ server }) => server.recorded)}::bigint[],
      ${each(({ server }) => server.at)}::float8[],
      ${each(({ server }) => server.cpuSeconds)}::float8[],
      ${each(({ cpu }) => cpu)}::float8[],
      ${each(({ ram }) => ram)}::float8[],
      ${each(({ server }) => server.diskRead)}::bigint[],
      ${each(({ server }) => server.diskWritten)}::bigint[]
    ) as r (server_id, recorded, read_at, cpu_seconds, cpu_percent, ram_mb, disk_read, disk_write)`;
}

/** Inserts samples, whose partitions must exist. */
export async function addSamples(trx: Trx, samples: Sample[]): Promise<void> {
  for (const [slot, ofSlot] of Map.groupBy(samples, ({ slot }) => slot)) {
    const each = (of: (one: Sample) => number | null) => arrayOf(ofSlot.map(of));
    await sql`
      insert into usage_15s
        (server_id, at, traffic_in, traffic_out, disk_read, disk_write, cpu, ram, disk, samples)
      select server_id, to_timestamp(${slot}::bigint), traffic_in, traffic_out, disk_read, disk_write,
        cpu, ram, disk, samples
      from unnest(
        ${each(({ serverId }) => serverId)}::bigint[],
        ${each(({ trafficIn }) => trafficIn)}::bigint[],
        ${each(({ trafficOut }) => trafficOut)}::bigint[],
        ${each(({ diskRead }) => diskRead)}::bigint[],
        ${each(({ diskWritten }) => diskWritten)}::bigint[],
        ${each(({ cpu }) => cpu)}::real[],
        ${each(({ ram }) => ram)}::real[],
        ${each(({ disk }) => disk)}::real[],
        ${each((one) => one.samples)}::smallint[]
      ) as r (server_id, traffic_in, traffic_out, disk_read, disk_write, cpu, ram, disk, samples)
    `.execute(trx);
  }
}

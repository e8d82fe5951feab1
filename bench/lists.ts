import { sql } from 'kysely';
import type { Db } from '../service/src/db/connection.ts';
import { Project } from '../service/src/db/project.ts';
import { parseSelector } from '../service/src/labels/selector.ts';
import {
  listServers,
  type ServerFilters,
  type ServerOrder,
} from '../service/src/servers/queries.ts';
import { type Installation, installation } from '../service/src/testing/fixtures.ts';
import { createTestDatabase } from '../service/src/testing/postgres.ts';
import { compare, conclude } from './statistics.ts';

const defaultRounds = 30;
const few = 1000;
const many = 1_000_000;
const mostRatio = 1.3;
const pageSize = 100;
/** Servers that differ from all others, at both sizes. */
const rareServers = 5;

const byId: ServerOrder = { sort: 'id', descending: false };

/** A list of servers: it has as many rows on its first page at both sizes. */
interface List {
  name: string;
  filters: ServerFilters;
  order?: ServerOrder;
}

/** Rows whose ids are filters: those of most servers, and those of the rare ones. */
interface Ids {
  location: number;
  os: number;
  size: number;
  rareLocation: number;
  rareOs: number;
  rareNode: number;
  rareSize: number;
}

/** @param number the number of a server in the middle */
const lists = (number: number, ids: Ids): List[] => [
  { name: 'all', filters: {} },
  { name: 'all, by -id', filters: {}, order: { sort: 'id', descending: true } },
  { name: 'all, by hostname', filters: {}, order: { sort: 'hostname', descending: false } },
  { name: 'all, by -created_at', filters: {}, order: { sort: 'created_at', descending: true } },
  { name: 'status=started', filters: { status: ['started'] } },
  { name: 'status=error', filters: { status: ['error'] } },
  { name: 'group=web', filters: { group: ['web'] } },
  { name: 'group=rare', filters: { group: ['rare'] } },
  { name: 'location_id of most', filters: { location_id: [ids.location] } },
  { name: 'location_id of few', filters: { location_id: [ids.rareLocation] } },
  { name: 'os_id of most', filters: { os_id: [ids.os] } },
  { name: 'os_id of few', filters: { os_id: [ids.rareOs] } },
  { name: 'node of few', filters: { node: [ids.rareNode] } },
  { name: 'size of most', filters: { size: [ids.size] } },
  { name: 'size of few', filters: { size: [ids.rareSize] } },
  { name: 'from', filters: { from: createdAt(number) } },
  { name: 'from and to', filters: { from: createdAt(number), to: createdAt(number + 50) } },
  { name: 'q=web', filters: { q: 'web' } },
  { name: 'q=rare', filters: { q: 'rare' } },
  { name: 'one hostname', filters: { hostname: [hostnameOf(number)] } },
  { name: 'one address', filters: { ip: [addressOf(number)] } },
  ...['env=web', 'env=rare', 'env!=web', '!rare', `number=${number}`].map((selector) => ({
    name: `label_selector=${selector.replace(/\d+/, 'N')}`,
    filters: { selector: parseSelector(selector) },
  })),
];

/** As the statement that inserts them. */
const hostnameOf = (number: number) => `web-${number}`;
const firstCreatedAt = '2026-01-01T00:00:00Z';
const createdAt = (number: number) =>
  new Date(Date.parse(firstCreatedAt) + number * 1000).toISOString();
const subnet = (172 * 256 + 16) * 2 ** 16;
const addressOf = (number: number) =>
  [24, 16, 8, 0].map((bits) => ((subnet + number) >> bits) & 255).join('.');

/**
 * Compares the queries for the first 100 servers of a list, by each filter and, without a filter, in several orders, in a
 * project with 1,000,000 servers with those in a project with 1,000. Both exist at the same time, and are read in turn.
 * The queries are run without HTTP.
 */
export async function benchLists(rounds = defaultRounds): Promise<boolean> {
  await using stack = new AsyncDisposableStack();
  const small = await projectOf(stack, few);
  const large = await projectOf(stack, many);
  const table: Record<string, Record<string, number>> = {};
  let worst = { name: '', comparison: compare([1], [0]) };
  for (const [at, list] of small.lists.entries()) {
    const other = large.lists[at] ?? list;
    const comparison = await measure([small.project, list], [large.project, other], rounds);
    const { baseline, measured, ratio } = comparison;
    table[list.name] = {
      ...{ '1,000': rounded(baseline.median), '1,000,000': rounded(measured.median) },
      ratio: rounded(ratio),
    };
    if (ratio > worst.comparison.ratio) worst = { name: list.name, comparison };
  }
  console.log('The first 100 servers of a list, median in milliseconds');
  console.table(table);
  const names = { baseline: '1,000 servers', measured: `1,000,000 servers: ${worst.name}` };
  const title = 'The list that grows most from 1,000 to 1,000,000 servers, milliseconds';
  return conclude(title, names, worst.comparison, { of: 'ratio', most: mostRatio });
}

const rounded = (value: number) => Number(value.toFixed(2));

type Side = readonly [project: Project, list: List];

async function measure(small: Side, large: Side, rounds: number) {
  const [baseline, measured]: [number[], number[]] = [[], []];
  // The first rounds are a warm-up for both.
  for (let round = -5; round < rounds; round += 1) {
    const [of, at] = [await timed(small), await timed(large)];
    if (of.rows !== at.rows) throw new Error(`${small[1].name}: ${of.rows} and ${at.rows} rows.`);
    if (round < 0) continue;
    baseline.push(of.milliseconds);
    measured.push(at.milliseconds);
  }
  return compare(baseline, measured);
}

async function timed([project, { filters, order = byId }]: Side) {
  const begun = performance.now();
  const rows = await listServers(project, filters, order).page(undefined, pageSize);
  return { rows: rows.length, milliseconds: performance.now() - begun };
}

/** A project with so many servers, in a database of its own, and its lists. */
async function projectOf(stack: AsyncDisposableStack, count: number) {
  const { db, close } = await createTestDatabase();
  stack.defer(close);
  const place = await installation(db);
  await db.transaction().execute(async (trx) => {
    for (const table of ['servers', 'addresses']) {
      await sql`alter table ${sql.table(table)} disable trigger user`.execute(trx);
    }
    for (const statement of statements(place, count)) await statement.execute(trx);
  });
  await sql`vacuum analyze`.execute(db);
  const ids = await idsOf(db, place);
  return { project: new Project(db, place.projectId), lists: lists(count / 2, ids) };
}

async function idsOf(db: Db, { locationId: location, osId: os }: Installation): Promise<Ids> {
  const { rows } = await sql<Omit<Ids, 'location' | 'os'>>`
    select rare.location_id as "rareLocation", rare.os_id as "rareOs", rare.node_id as "rareNode",
      rare.size_id as "rareSize", web.size_id as size
    from (select * from servers where group_name = 'rare' limit 1) rare,
      (select * from servers where group_name = 'web' limit 1) web`.execute(db);
  const [found] = rows;
  if (!found) throw new Error('There are no rare servers.');
  return { ...found, location, os };
}

function statements({ projectId, locationId, osId }: Installation, count: number) {
  const isRare = sql`n % ${sql.lit(count / rareServers)} = 7`;
  const kind = sql`case when ${isRare} then 'rare' else 'web' end`;
  const labels = sql`jsonb_build_object('env', ${kind}) || case when ${isRare} then '{"rare": ""}' else '{}'::jsonb end`;
  const rows = sql`generate_series(1, ${sql.lit(count)}) n`;
  const rareOs = sql`(select min(id) from operating_systems where id <> ${osId})`;
  return [
    sql`insert into locations (name, description, engine, incus_project, storage_pool, network,
        max_cpu, max_ram_mb, max_disk_gb)
      select 'rare', description, engine, incus_project, storage_pool, network,
        max_cpu, max_ram_mb, max_disk_gb
      from locations where id = ${locationId}`,
    sql`insert into nodes (location_id, name, status, cpu, ram_mb)
      select id, 'rare', 'online', 4, 8192 from locations where name = 'rare'`,
    sql`insert into sizes (name, cpu, ram_mb, disk_gb) values ('web', 1, 512, 4), ('rare', 1, 512, 4)`,
    sql`insert into nodes (location_id, name, status, cpu, ram_mb)
      select ${locationId}, 'of-' || n, 'online', 4, 8192 from generate_series(0, 99) n`,
    sql`insert into address_pools (location_id, cidr, gateway, nameservers, first, last)
      values (${locationId}, '172.16.0.0/12', '172.31.255.254', '{}',
        '172.16.0.1', '172.31.255.253')`,
    // Without the label `number`, of which each server has another value.
    sql`insert into label_sets (project_id, summary)
      select distinct ${projectId}::bigint, ${labels} || '{"number": null}' from ${rows}`,
    sql`insert into servers (project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb,
        disk_gb, size_id, status, created_at, group_name, labels, label_set_id)
      select ${projectId}, nodes.location_id, case when ${isRare} then ${rareOs} else ${osId} end, nodes.id,
        ${kind} || '-' || n, n::text, 1, 512, 4, sizes.id,
        case when ${isRare} then 'error' else 'started' end,
        ${firstCreatedAt}::timestamptz + make_interval(secs => n),
        ${kind}, ${labels} || jsonb_build_object('number', n::text), label_sets.id
      from ${rows}
      join nodes on nodes.name = case when ${isRare} then 'rare' else 'of-' || n % 100 end
      join sizes on sizes.name = ${kind}
      join label_sets on label_sets.summary = ${labels} || '{"number": null}'
      order by n`,
    sql`insert into addresses (ip, pool_id, server_id, is_primary)
      select '172.16.0.0'::inet + substring(hostname from '\\d+')::int, address_pools.id, servers.id, true
      from servers, address_pools where cidr = '172.16.0.0/12'`,
  ];
}

import { Agent } from 'node:http';
import { sql } from 'kysely';
import { dataDirectory, type Service } from '../e2e/service.ts';
import { createDb, createPool, type Db } from '../service/src/db/connection.ts';
import { joinEmbeddedPostgres } from '../service/src/db/embedded/embedded.ts';
import { beginningOf, later, resolutions } from '../service/src/usage/history/history.ts';
import { ensurePartitions } from '../service/src/usage/history/history-queries.ts';
import { ask } from './latency.ts';
import { withSimulated } from './simulated.ts';
import { compare, conclude } from './statistics.ts';

const servers = 10_000;
const defaultRounds = 300;
const mostMs = 20;
const day = 86_400;

/**
 * Compares the request for a chart of one day, of another server each time, with the request for the same server. They
 * alternate. Each of the servers has a full day of history.
 */
export async function benchHistory(rounds = defaultRounds): Promise<boolean> {
  return await withSimulated({}, async (service) => {
    const ids = await onDatabaseOf(service, fill);
    console.log(
      `${ids.length} servers are stored, with a day in steps of 5 min and 2 h in steps of 15 s`,
    );
    const { pages, charts } = await measure(service, ids, rounds);
    const result = compare(pages, charts);
    const names = { baseline: 'GET /v1/servers/{id}', measured: 'GET /v1/servers/{id}/usage' };
    return conclude('A chart, milliseconds', names, result, { of: 'measured', most: mostMs });
  });
}

async function measure({ url, token }: Service, ids: number[], rounds: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const timed = async (path: string) => {
    const begun = performance.now();
    const status = await ask(`${url}${path}`, token, agent);
    if (status !== 200) throw new Error(`${path} was answered ${status}.`);
    return performance.now() - begun;
  };
  const pages: number[] = [];
  const charts: number[] = [];
  const warmUp = Math.ceil(rounds / 10);
  for (let round = -warmUp; round < rounds; round += 1) {
    const path = `/v1/servers/${ids[Math.floor(Math.random() * ids.length)]}`;
    const [page, chart] = [await timed(path), await timed(`${path}/usage`)];
    if (round < 0) continue;
    pages.push(page);
    charts.push(chart);
  }
  agent.destroy();
  return { pages, charts };
}

async function onDatabaseOf<T>(service: Service, work: (db: Db) => Promise<T>): Promise<T> {
  const dataDir = dataDirectory(service.directory);
  const { connectionString } = await joinEmbeddedPostgres({ dataDir });
  const db = createDb(createPool(connectionString));
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** The ids of servers that have a history and no instance. */
async function fill(db: Db): Promise<number[]> {
  const now = new Date();
  for (const hours of [-2, -1, 0]) await ensurePartitions(db, later(now, hours * 3600));
  const ids = await insertServers(db);
  const [fifteens, fives] = resolutions;
  const made = beginningOf(later(now, -60), fives.stepSeconds);
  await insertRows(db, fives.table, fives.stepSeconds, later(made, -day), made);
  const latest = beginningOf(now, fifteens.stepSeconds);
  await insertRows(db, fifteens.table, fifteens.stepSeconds, later(latest, -7200), latest);
  await sql`vacuum analyze`.execute(db);
  return ids;
}

/**
 * They are in a separate location whose engine does not answer, so that no reconciler looks for
 * their instances.
 */
async function insertServers(db: Db): Promise<number[]> {
  // The triggers would count each server's share of its project: 10,000 times in one transaction.
  await sql`alter table servers disable trigger user`.execute(db);
  const { rows } = await sql<{ id: number }>`
    with location as (
      insert into locations (name, description, engine, incus_project, storage_pool, network,
        max_cpu, max_ram_mb, max_disk_gb)
      values ('bench', '', '{"socket_path": "/nowhere"}', 'berth', 'p', 'n', 9, 9, 9)
      returning id
    ),
    node as (
      insert into nodes (location_id, name, member, status, cpu, ram_mb)
      select id, 'bench', null, 'offline', 64, 9999999 from location
      returning id, location_id
    )
    insert into servers (uuid, project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb,
      disk_gb, status, real_status)
    select gen_random_uuid(), (select min(id) from projects), node.location_id,
      (select min(id) from operating_systems), node.id, 'bench', 'bench-' || number, 2, 1024, 10,
      'started', 'started'
    from node, generate_series(1, ${servers}::integer) number
    returning id
  `.execute(db);
  await sql`alter table servers enable trigger user`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Inserts rows in the usual order: the rows of all servers for one step, then those for the next.
 */
async function insertRows(
  db: Db,
  table: 'usage_15s' | 'usage_5m',
  stepSeconds: number,
  from: Date,
  to: Date,
): Promise<void> {
  const step = sql`make_interval(secs => ${stepSeconds})`;
  await sql`
    insert into ${sql.ref(table)}
      (server_id, at, traffic_in, traffic_out, disk_read, disk_write, cpu, ram, disk, samples)
    select servers.id, at, 40000 + random() * 9999, 20000, 4096, 4096, random() * 100, 512, 2.5, 1
    from generate_series(${from}::timestamptz, ${to}::timestamptz - ${step}, ${step}) as at,
      servers
    on conflict do nothing
  `.execute(db);
}

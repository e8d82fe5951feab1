import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createDb, createPool, type Db } from '../service/src/db/connection.ts';
import { startEmbeddedPostgres } from '../service/src/db/embedded/embedded.ts';
import { migrate } from '../service/src/db/migrate.ts';
import { createIncusClient, type IncusClient } from '../service/src/incus/client.ts';
import { createMetrics } from '../service/src/metrics/metrics.ts';
import { reconcileAllowances } from '../service/src/reconcilers/allowances.ts';
import {
  createUsageCollector,
  diskSeconds,
  maxNicsPerRound,
} from '../service/src/usage/collect/collector.ts';
import {
  beginningOf,
  later,
  type Resolution,
  resolutions,
} from '../service/src/usage/history/history.ts';
import { rollUpNext } from '../service/src/usage/history/history-queries.ts';
import { keepHistory } from '../service/src/usage/history/upkeep.ts';
import { beside } from './disturbance.ts';
import { nodeName, uuidOf } from './metering-fleet.ts';
import { postgresSeconds } from './processor.ts';
import { spread } from './statistics.ts';

const servers = 100_000;
const nodes = 50;
const defaultRounds = 20;
const roundSeconds = 15;
/**
 * The highest acceptable share of one core for the service and PostgreSQL together, and duration of
 * a round.
 */
const target = { roundSeconds: 3, coreShare: 0.25 };
const listensWithinMs = 60_000;

/**
 * Measures the cost of counting the usage of very many servers: the duration of a round, the CPU
 * time at one round every 15 s, and the stored bytes. The rounds follow each other at once, with a
 * clock that advances by 15 s each, so that each writes rows of its own.
 * @param rounds 20 make five minutes, from which a coarser row is made
 */
export async function benchMetering(rounds = defaultRounds): Promise<boolean> {
  await using stack = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  const socketPath = join(directory, 'incus.socket');
  const { measured } = await beside(
    'metering-engine.ts',
    [socketPath, String(servers), String(nodes)],
    0,
    () => measure(directory, socketPath, rounds),
  );
  return measured;
}

async function measure(directory: string, socketPath: string, rounds: number): Promise<boolean> {
  await using stack = new AsyncDisposableStack();
  const postgres = await startEmbeddedPostgres({ dataDir: directory });
  stack.defer(postgres.stop);
  const pool = createPool(postgres.connectionString);
  const db = createDb(pool);
  stack.defer(() => db.destroy());
  await migrate(db);
  const locationId = await fill(db, socketPath);
  const { called: observe } = createMetrics(
    { db, pools: { requests: pool } },
    { ofServers: false },
  );
  const client = createIncusClient({ socketPath, project: 'berth', observe });
  stack.defer(() => client.close());
  await untilListening(client);

  let now = startOfHour();
  const log = pino({ level: 'warn' });
  const { signal } = new AbortController();
  const location = { id: locationId, pool: 'berth', client };
  const collector = createUsageCollector({ db, log, now: () => now }, location);
  console.log(
    `${servers} servers on ${nodes} nodes; the first round also finds their network interfaces`,
  );
  const costOf = (work: () => Promise<unknown>) => costIn(directory, work);
  const taken: Cost[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    now = later(now, roundSeconds);
    await prepareRound(socketPath);
    const cost = await costOf(async () => {
      await collector.collect();
      await reconcileAllowances({ db, client, locationId, log, signal }, now);
    });
    console.log(`${round === 0 ? 'warm-up' : `round ${round}`}: ${shown(cost)}`);
    if (round > 0) taken.push(cost);
  }
  const disk = await costOf(() => collector.collectDisk());
  console.log(`disk usage of all servers: ${shown(disk)}`);
  const upkeep = await costOf(() => keepHistory(db, later(now, 60)));
  console.log(`aggregation of five minutes of history: ${shown(upkeep)}`);
  await assertCounted(db, rounds + 1);
  await reportStored(db, now);
  return reportCosts(taken, { disk, upkeep, minutes: (rounds * roundSeconds) / 60 });
}

const startOfHour = () => later(beginningOf(new Date(), 3600), 3600);

/** Inserts a location with the nodes and servers, which all run and have an allowance. */
async function fill(db: Db, socketPath: string): Promise<number> {
  const uuids = Array.from({ length: servers }, (_, server) => uuidOf(server));
  // The triggers would count each server's share of its project: 100,000 times in one transaction.
  await sql`alter table servers disable trigger user`.execute(db);
  const { rows } = await sql<{ id: number }>`
    with location as (
      insert into locations (name, description, engine, incus_project, storage_pool, network,
        max_cpu, max_ram_mb, max_disk_gb)
      values ('bench', '', ${JSON.stringify({ socket_path: socketPath })}, 'berth', 'p', 'n', 9, 9, 9)
      returning id
    ),
    os as (
      insert into operating_systems
        (slug, name, version, type, architecture, source, min_ram_mb, min_disk_gb)
      values ('bench', 'Bench', '1', 'container', 'x86_64', '{"build": "debian-12"}', 1, 1)
      returning id
    ),
    node as (
      insert into nodes (location_id, name, member, status, cpu, ram_mb, servers)
      select location.id, name, name, 'online', 64, 9999999, ${servers / nodes}
      from location, unnest(${Array.from({ length: nodes }, (_, node) => nodeName(node))}::text[]) name
      returning id
    ),
    server as (
      insert into servers (uuid, project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb,
        disk_gb, status, real_status, traffic_allowance)
      select uuid, (select min(id) from projects), location.id, os.id, (select min(id) from node),
        'bench', uuid::text, 2, 1024, 10, 'started', 'started', 1000000000000
      from location, os, unnest(${uuids}::uuid[]) uuid
    )
    select id from location
  `.execute(db);
  await sql`alter table servers enable trigger user`.execute(db);
  await sql`vacuum analyze`.execute(db);
  return rows[0]?.id ?? 0;
}

async function untilListening(client: IncusClient): Promise<void> {
  const end = Date.now() + listensWithinMs;
  for (;;) {
    const [asked] = await Promise.allSettled([client.instances.get(`srv-${uuidOf(0)}`)]);
    if (asked.status === 'fulfilled') return;
    if (Date.now() > end) throw asked.reason;
    await sleep(100);
  }
}

async function prepareRound(socketPath: string): Promise<void> {
  const [prepared] = await once(get({ socketPath, path: '/prepare-round' }), 'response');
  await once(prepared.resume(), 'end');
}

/** Wall-clock time and CPU time, in seconds. */
interface Cost {
  time: number;
  service: number;
  postgres: number;
}

async function costIn(directory: string, work: () => Promise<unknown>): Promise<Cost> {
  const postgres = postgresSeconds(directory);
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  const time = (performance.now() - begun) / 1000;
  const service = (user + system) / 1e6;
  return { time, service, postgres: postgresSeconds(directory) - postgres };
}

const shown = ({ time, service, postgres }: Cost) =>
  `${time.toFixed(1)} s; CPU time: service ${service.toFixed(1)} s, PostgreSQL ${postgres.toFixed(1)} s`;

/** Checks that the bytes are those of the engine, so that nothing was dropped to be fast. */
async function assertCounted(db: Db, rounds: number): Promise<void> {
  const { rows } = await sql<{ months: number; samples: number }>`
    select (select count(distinct server_id) from traffic_months where incoming > 0) as months,
      (select count(*) from usage_15s where cpu is not null) as samples
  `.execute(db);
  const [row] = rows;
  const cards = Math.min(servers, rounds * maxNicsPerRound);
  if (row?.months === cards && row.samples === servers * (rounds - 1)) return;
  throw new Error(`Not everything was counted: ${JSON.stringify(row)}`);
}

interface Others {
  disk: Cost;
  upkeep: Cost;
  /** How many minutes of history the maintenance rolled up. */
  minutes: number;
}

const together = ({ service, postgres }: Cost) => service + postgres;

function reportCosts(taken: Cost[], { disk, upkeep, minutes }: Others): boolean {
  const median = (of: (cost: Cost) => number) => spread(taken.map(of)).median;
  const share = (of: (cost: Cost) => number) =>
    median(of) / roundSeconds + of(disk) / diskSeconds + of(upkeep) / (60 * minutes);
  const parts = (show: (of: (cost: Cost) => number) => string) =>
    `${show(together)}: service ${show(({ service }) => service)}, PostgreSQL ${show(({ postgres }) => postgres)}`;
  const time = spread(taken.map((cost) => cost.time));
  console.log(`\nA round: median ${time.median.toFixed(2)} s, worst ${time.most.toFixed(2)} s`);
  console.log(`CPU time of a round: ${parts((of) => seconds(median(of)))}`);
  console.log(
    `Share of one core with a round every ${roundSeconds} s, including disks and history:`,
  );
  console.log(parts((of) => percent(share(of))));
  const verdicts = [
    verdict('a round, elapsed time', time.median, target.roundSeconds, seconds),
    verdict('a round on one core', median(together), target.roundSeconds, seconds),
    verdict('share of one core, overall', share(together), target.coreShare, percent),
  ];
  return verdicts.every(Boolean);
}

const seconds = (value: number) => `${value.toFixed(2)} s`;
const percent = (value: number) => `${(value * 100).toFixed(1)} %`;

function verdict(what: string, is: number, most: number, show: (value: number) => string): boolean {
  const isMet = is <= most;
  console.log(`${isMet ? 'met' : 'MISSED'}: ${what}: ${show(is)} (at most ${show(most)})`);
  return isMet;
}

/** Reports the storage of a server whose history is as old as it is kept. */
async function reportStored(db: Db, now: Date): Promise<void> {
  const [, fives, hours] = resolutions;
  await rollUpNext(db, { from: fives, to: hours }, later(now, hours.stepSeconds));
  const stored = await Promise.all(resolutions.map((resolution) => storedOf(db, resolution)));
  console.log('\nBytes of history per server, with indexes');
  console.table(Object.fromEntries(stored.map(({ table, ...row }) => [table, row])));
  const inAll = stored.reduce((sum, { kept }) => sum + kept, 0);
  const aMonth = ((stored.at(-1)?.row ?? 0) * 30 * 24 * 3600) / hours.stepSeconds;
  console.log(
    `total ${inAll}; each month adds ${aMonth} in rows of an hour, until they are dropped`,
  );
}

async function storedOf(db: Db, { table, stepSeconds, keptSeconds }: Resolution) {
  const { rows } = await sql<{ bytes: number; count: number }>`
    select (select sum(pg_total_relation_size(inhrelid)) from pg_inherits
        where inhparent = ${table}::regclass)::float8 as bytes,
      (select count(*) from ${sql.ref(table)}) as count
  `.execute(db);
  const [{ bytes, count } = { bytes: 0, count: 0 }] = rows;
  const row = count === 0 ? 0 : Math.round(bytes / count);
  const keptRows = keptSeconds / stepSeconds;
  return { table, row, rows: keptRows, kept: row * keptRows };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { readProcess } from '../e2e/processes.ts';
import { type Service, startService } from '../e2e/service.ts';
import { freePort, temporaryDirectory } from '../e2e/stack.ts';
import { createDb, createPool, type Db } from '../service/src/db/connection.ts';
import { startEmbeddedPostgres } from '../service/src/db/embedded.ts';
import { migrate } from '../service/src/db/migrate.ts';
import { installationId } from '../service/src/db/queries.ts';
import { createIncusClient, type IncusClient } from '../service/src/incus/client.ts';
import { instanceName } from '../service/src/servers/instance.ts';
import { beside } from './disturbance.ts';
import { uuidOf } from './metering-fleet.ts';
import { postgresSeconds, processSeconds } from './processor.ts';
import { type Fleet, fill, names, serverSize, socketOf } from './scale-fleet.ts';
import { percentile } from './statistics.ts';

const small: Fleet = { locations: 1, nodesPerLocation: 20, serversPerNode: 100 };
const large: Fleet = { locations: 50, nodesPerLocation: 20, serversPerNode: 100 };
const settleSeconds = 600;
const idleSeconds = 120;
const tries = 200;
/** How many times as much a request may take in an installation fifty times as large. */
const mostRatio = 2;
/** What no request may grow with, by the names of the figures. */
const bounded = ['a server, ms, p50', 'a dry run, ms, p50', 'a create, ms, p50'];

/** By what was measured. */
type Figures = Record<string, number>;

/**
 * What grows with the size of an installation, and what doesn't: one location of 20 nodes and 2,000
 * servers is the baseline of fifty such locations. Both are there at once, and are asked in turn: what
 * else the machine does meets both.
 */
export async function benchScale(): Promise<boolean> {
  return await withFleet(small, (one) =>
    withFleet(large, async (fifty) => {
      const [of, at] = [await atRest(one), await atRest(fifty)];
      const [ofRequests, atRequests] = await requestsOf(one, fifty);
      return report({ ...of, ...ofRequests }, { ...at, ...atRequests });
    }),
  );
}

function report(baseline: Figures, measured: Figures): boolean {
  const rows = Object.keys(baseline).map((name) => {
    const [of, at] = [baseline[name] ?? Number.NaN, measured[name] ?? Number.NaN];
    return [name, { '2,000': round(of), '100,000': round(at), ratio: round(at / of) }];
  });
  console.table(Object.fromEntries(rows));
  return bounded.every((name) => (measured[name] ?? 0) <= (baseline[name] ?? 0) * mostRatio);
}

const round = (value: number) => Number(value.toPrecision(3));

interface Installation {
  fleet: Fleet;
  db: Db;
  service: Service;
  directory: string;
  /** How many seconds after its start the service answered, and all was compared with the engines. */
  readySeconds: number;
  comparedSeconds: number;
  /** By location, counted from 0. */
  clients: IncusClient[];
}

async function withFleet<T>(fleet: Fleet, use: (installation: Installation) => Promise<T>) {
  await using stack = new AsyncDisposableStack();
  const directory = temporaryDirectory(stack, 'bench');
  const postgres = await startEmbeddedPostgres({ dataDir: directory });
  stack.defer(postgres.stop);
  const db = createDb(createPool(postgres.connectionString, { max: 4 }));
  stack.defer(() => db.destroy());
  await migrate(db);
  await fill(db, fleet, directory);
  const sizes = Object.values(fleet).map(String);
  const args = [directory, await installationId(db), ...sizes];
  const { measured } = await beside('scale-engines.ts', args, 0, async () => {
    await untilListening(socketOf(directory, fleet.locations - 1));
    const begun = performance.now();
    const service = await startService({
      directory,
      socketPath: socketOf(directory, 0),
      names,
      port: await freePort(),
      databaseUrl: postgres.connectionString,
      env: { BERTH_LOG_LEVEL: 'warn' },
    });
    const passed = () => (performance.now() - begun) / 1000;
    const readySeconds = passed();
    await untilCompared(db, service, fleet);
    const comparedSeconds = passed();
    console.log(`${fleet.locations} locations were compared`);
    const clients = Array.from({ length: fleet.locations }, (_, location) =>
      createIncusClient({ socketPath: socketOf(directory, location), project: names.project }),
    );
    stack.defer(async () => void (await Promise.all(clients.map((client) => client.close()))));
    return await use({ fleet, db, service, directory, readySeconds, comparedSeconds, clients });
  });
  return measured;
}

async function untilListening(socketPath: string): Promise<void> {
  const client = createIncusClient({ socketPath, project: names.project });
  const answers = async () => {
    const [asked] = await Promise.allSettled([client.instances.list({ timeoutSeconds: 60 })]);
    return asked.status === 'fulfilled' && asked.value.length > 0;
  };
  await until('the simulated engines are ready', answers, 500);
  await client.close();
}

async function untilCompared(db: Db, service: Service, { locations }: Fleet): Promise<void> {
  await until('all locations are watched', async () => {
    const { rows } = await sql<{ watched: number }>`
      select count(*) as watched from locations where reachable`.execute(db);
    return rows[0]?.watched === locations;
  });
  await until('all were compared', async () => (await sweeps(service)).count >= locations);
}

/** What it costs to keep all true and counted. */
async function atRest(installation: Installation): Promise<Figures> {
  const { service, directory, fleet } = installation;
  console.log(`${fleet.locations} locations at rest for ${idleSeconds} s`);
  const before = { service: processSeconds(service.pid), postgres: postgresSeconds(directory) };
  const swept = await sweeps(service);
  await sleep(idleSeconds * 1000);
  const later = await sweeps(service);
  const inService = processSeconds(service.pid) - before.service;
  const inPostgres = postgresSeconds(directory) - before.postgres;
  await assertAllStarted(installation);
  return {
    'ready after a start, s': installation.readySeconds,
    'all compared after a start, s': installation.comparedSeconds,
    'a comparison of a location, s': (later.seconds - swept.seconds) / (later.count - swept.count),
    'service at rest, cores': inService / idleSeconds,
    'PostgreSQL at rest, cores': inPostgres / idleSeconds,
    'memory of the service, MB': megabytes(service, 'VmRSS'),
    'memory at its highest, MB': megabytes(service, 'VmHWM'),
  };
}

/** See proc_pid_status(5). */
function megabytes({ pid }: Service, field: string): number {
  const [, kilobytes] =
    new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(readProcess(pid, 'status')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Nobody found a server otherwise than it is. */
async function assertAllStarted({ db, fleet }: Installation): Promise<void> {
  const all = sizeOf(fleet);
  const { rows } = await sql<{ started: number; unread: number }>`
    select count(*) filter (where status = 'started' and real_status = 'started') as started,
      count(*) filter (where u.server_id is null) as unread
    from servers left join usage_current u on u.server_id = servers.id`.execute(db);
  if (rows[0]?.started === all && rows[0].unread === 0) return;
  throw new Error(`Of ${all} servers: ${JSON.stringify(rows[0])}`);
}

const call = async ({ url, token }: Service, path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { ...init, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
};

async function sweeps(service: Service): Promise<{ count: number; seconds: number }> {
  const text = await call(service, '/metrics');
  const value = (of: string) =>
    Number(new RegExp(`^berth_sweep_duration_seconds_${of} (\\S+)`, 'm').exec(text)?.[1] ?? 0);
  return { count: value('count'), seconds: value('sum') };
}

async function requestsOf(one: Installation, fifty: Installation): Promise<[Figures, Figures]> {
  const figures: [Figures, Figures] = [{}, {}];
  for (const [name, act] of Object.entries(acts)) {
    const taken = await inTurn(one, fifty, act);
    for (const [at, values] of taken.entries()) {
      Object.assign(figures[at] ?? {}, {
        [`${name}, p50`]: percentile(values, 0.5),
        [`${name}, p99`]: percentile(values, 0.99),
      });
    }
  }
  return figures;
}

/** Answers how many milliseconds it took. */
type Act = (installation: Installation, at: number) => Promise<number>;

const acts: Record<string, Act> = {
  'a server, ms': ({ fleet, service }, at) =>
    timed(() => call(service, `/v1/servers/${((at * 7919) % sizeOf(fleet)) + 1}`)),
  'the last 100 servers, ms': ({ service }) =>
    timed(() => call(service, '/v1/servers?limit=100&sort=-id')),
  'a dry run, ms': ({ fleet, service }, at) =>
    timed(() => post(service, '/v1/servers?dry_run=true', wanted(fleet, at))),
  'a create, ms': ({ fleet, service }, at) =>
    timed(() => post(service, '/v1/servers', wanted(fleet, at))),
  'a stop by hand is known, ms': stopByHand,
};

async function inTurn(one: Installation, fifty: Installation, act: Act) {
  const taken: [number[], number[]] = [[], []];
  for (let at = 0; at < tries; at += 1) {
    taken[0].push(await act(one, at));
    taken[1].push(await act(fifty, at));
  }
  return taken;
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

const sizeOf = ({ locations, nodesPerLocation, serversPerNode }: Fleet) =>
  locations * nodesPerLocation * serversPerNode;

const wanted = ({ locations }: Fleet, at: number) => ({
  name: 'bench',
  location_id: (at % locations) + 1,
  os_id: 1,
  password: 'a-password-1',
  initialCommands: [],
  cpu: serverSize.cpu,
  ram: serverSize.ramMb,
  disk: serverSize.diskGb,
});

const post = (service: Service, path: string, body: object) =>
  call(service, path, { method: 'POST', body: JSON.stringify(body) });

/** From when Incus has stopped a server, asked by somebody else, until the records say so. */
async function stopByHand({ db, fleet, clients }: Installation, at: number): Promise<number> {
  const location = at % fleet.locations;
  const uuid = uuidOf(location * fleet.nodesPerLocation * fleet.serversPerNode + at);
  const client = clients[location];
  if (!client) throw new Error(`There is no location ${location}.`);
  const act = { action: 'stop', force: true } as const;
  const stop = await client.instances.updateState(instanceName(uuid), act);
  await client.operations.wait(stop.id, { timeoutSeconds: 30 });
  return await timed(() =>
    until(
      'a stop by hand is known',
      async () => {
        const query = db.selectFrom('servers').select('status').where('uuid', '=', uuid);
        return (await query.executeTakeFirstOrThrow()).status === 'stopped';
      },
      5,
    ),
  );
}

async function until(what: string, holds: () => Promise<boolean>, everyMs = 200): Promise<void> {
  const end = Date.now() + settleSeconds * 1000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`Not within ${settleSeconds} s: ${what}.`);
    await sleep(everyMs);
  }
}

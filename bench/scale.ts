import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Service } from '../e2e/service.ts';
import { instanceName } from '../service/src/instances/labels.ts';
import { uuidOf } from './metering-fleet.ts';
import { postgresSeconds, processSeconds, residentMegabytes } from './processor.ts';
import { type Fleet, serverSize } from './scale-fleet.ts';
import { call, type Installation, metric, sweeps, until, withFleet } from './scale-installation.ts';
import { percentile } from './statistics.ts';
import type { Block, WatchedLoop } from './watched-loop.ts';

const small: Fleet = { locations: 1, nodesPerLocation: 20, serversPerNode: 100 };
export const large: Fleet = { locations: 50, nodesPerLocation: 20, serversPerNode: 100 };
const idleSeconds = 120;
const watchedSeconds = 60;
/** Nothing should block the event loop for longer. */
const longBlockMs = 20;
/** Locations that are taken over are compared at once. */
const comparedWithinSeconds = 30;
const tries = 200;
/** The acceptable ratio of a request's time in an installation that is fifty times as large. */
const mostRatio = 2;
/** The figures that must not grow with the size. */
const bounded = ['a server, ms, p50', 'a dry run, ms, p50', 'a create, ms, p50'];

/** By what was measured. */
type Figures = Record<string, number>;

/**
 * Measures what grows with the size of an installation: one location of 20 nodes and 2,000 servers
 * compared to fifty of them. Both exist at the same time and are measured in turn, so that other
 * load affects both.
 */
export async function benchScale(): Promise<boolean> {
  return await withFleet(small, (one) =>
    withFleet(large, async (fifty) => {
      const [of, at] = [await atRest(one), await atRest(fifty)];
      Object.assign(of, await atRestOfTwo(one));
      Object.assign(at, await atRestOfTwo(fifty));
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

/** The cost of syncing and counting. */
async function atRest(installation: Installation): Promise<Figures> {
  const { service, loop } = installation;
  const swept = await sweeps(service);
  const { services, postgres } = await coresAtRest([service], installation);
  const later = await sweeps(service);
  const blocks = await longestBlocks(loop);
  await assertAllStarted(installation);
  return {
    'ready after a start, s': installation.readySeconds,
    'all compared after a start, s': installation.comparedSeconds,
    'a comparison of a location, s': (later.seconds - swept.seconds) / (later.count - swept.count),
    'idle service, cores': Math.max(...services),
    'idle PostgreSQL, cores': postgres,
    'longest block of the event loop, ms': Math.max(...blocks.map(({ ms }) => ms)),
    [`seconds of ${watchedSeconds} with a block of more than ${longBlockMs} ms`]: blocks.filter(
      ({ ms }) => ms > longBlockMs,
    ).length,
    'longest processor time of a turn of the event loop, ms': Math.max(
      ...blocks.map(({ processorMs }) => processorMs),
    ),
    [`seconds of ${watchedSeconds} with a turn of more than ${longBlockMs} ms`]: blocks.filter(
      ({ processorMs }) => processorMs > longBlockMs,
    ).length,
    'memory of the service, MB': residentMegabytes(service.pid),
    'peak memory of the service, MB': residentMegabytes(service.pid, 'VmHWM'),
  };
}

/** The cost with two services that share the locations. */
async function atRestOfTwo(installation: Installation): Promise<Figures> {
  const { service, fleet, withAnother } = installation;
  const most = Math.ceil(fleet.locations / 2);
  const figures = await withAnother(async (second) => {
    await untilLed([service, second], [most, fleet.locations - most]);
    const { services, postgres } = await coresAtRest([service, second], installation);
    await assertAllStarted(installation);
    return {
      'two services: the busier one, cores': Math.max(...services),
      'two services: PostgreSQL, cores': postgres,
      'two services: memory of the second, MB': residentMegabytes(second.pid),
    };
  });
  await untilLed([service], [fleet.locations]);
  return figures;
}

/** Waits until these services lead the same number of locations each, and have compared them. */
async function untilLed(services: Service[], shares: number[]): Promise<void> {
  const wanted = shares.toSorted().join();
  await until(`the locations are led as ${wanted}`, async () => {
    const led = services.map((service) => metric(service, 'berth_locations_led'));
    return (await Promise.all(led)).toSorted().join() === wanted;
  });
  await sleep(comparedWithinSeconds * 1000);
}

/** The cores that each service, and PostgreSQL, use. */
async function coresAtRest(services: Service[], { directory, fleet }: Installation) {
  console.log(`${fleet.locations} locations idle for ${idleSeconds} s`);
  const taken = () => [
    postgresSeconds(directory),
    ...services.map(({ pid }) => processSeconds(pid)),
  ];
  const before = taken();
  await sleep(idleSeconds * 1000);
  const [postgres = 0, ...ofServices] = taken().map((seconds, at) => {
    return (seconds - (before[at] ?? 0)) / idleSeconds;
  });
  return { services: ofServices, postgres };
}

/** Checks that no server was found in another state. */
async function assertAllStarted({ db, fleet }: Installation): Promise<void> {
  const all = sizeOf(fleet);
  const { rows } = await sql<{ started: number; unread: number }>`
    select count(*) filter (where status = 'started' and real_status = 'started') as started,
      count(*) filter (where u.server_id is null) as unread
    from servers left join usage_current u on u.server_id = servers.id`.execute(db);
  if (rows[0]?.started === all && rows[0].unread === 0) return;
  throw new Error(`Of ${all} servers: ${JSON.stringify(rows[0])}`);
}

/** The longest block of each of so many seconds. The watch takes CPU time, which must not be measured. */
async function longestBlocks(loop: WatchedLoop): Promise<Block[]> {
  const blocks: Block[] = [];
  await loop.longestBlock();
  for (let second = 0; second < watchedSeconds; second += 1) {
    await sleep(1000);
    blocks.push(await loop.longestBlock());
  }
  const list = (by: keyof Block) => blocks.map((block) => block[by].toFixed(0)).join(' ');
  console.log(`longest blocks: ${list('ms')} ms, of processor time: ${list('processorMs')} ms`);
  return blocks;
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

/** Returns how many milliseconds it took. */
type Act = (installation: Installation, at: number) => Promise<number>;

const acts: Record<string, Act> = {
  'a server, ms': ({ fleet, service }, at) =>
    timed(() => call(service, `/v1/servers/${((at * 7919) % sizeOf(fleet)) + 1}`)),
  'the last 100 servers, ms': ({ service }) =>
    timed(() => call(service, '/v1/servers?limit=100&sort=-id')),
  'a dry run, ms': ({ fleet, service }, at) =>
    timed(() => post(service, '/v1/servers/dry-run', wanted(fleet, at))),
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

export const sizeOf = ({ locations, nodesPerLocation, serversPerNode }: Fleet) =>
  locations * nodesPerLocation * serversPerNode;

export const wanted = ({ locations }: Fleet, at: number) => ({
  name: 'bench',
  location_id: (at % locations) + 1,
  os_id: 1,
  password: 'a-password-1',
  initialCommands: [],
  cpu: serverSize.cpu,
  ram: serverSize.ramMb,
  disk: serverSize.diskGb,
});

export const post = (
  service: Service,
  path: string,
  body: object,
  headers: Record<string, string> = {},
) => call(service, path, { method: 'POST', body: JSON.stringify(body), headers });

/** The time from when a server was stopped by hand in Incus until the records show it. */
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

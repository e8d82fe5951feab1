import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Service, serviceDirectory, startService } from '../e2e/service.ts';
import { createDb, createPool, type Db } from '../service/src/db/connection.ts';
import { startEmbeddedPostgres } from '../service/src/db/embedded/embedded.ts';
import { migrate } from '../service/src/db/migrate.ts';
import { installationId } from '../service/src/db/queries.ts';
import { createIncusClient, type IncusClient } from '../service/src/incus/client.ts';
import { beside } from './disturbance.ts';
import { type Fleet, fill, names, socketOf } from './scale-fleet.ts';
import { type WatchedLoop, watchedLoop } from './watched-loop.ts';

const settleSeconds = 600;

export interface Installation {
  fleet: Fleet;
  db: Db;
  service: Service;
  /** Of the service. */
  loop: WatchedLoop;
  directory: string;
  /** Connects to PostgreSQL, whose data directory is `directory`, as its superuser. */
  superuserConnectionString: string;
  /**
   * Seconds from the start until the service answered, and had compared everything with the
   * engines.
   */
  readySeconds: number;
  comparedSeconds: number;
  /** By number of the location, from 0. */
  clients: IncusClient[];
  /** Runs a second service on the same database. */
  withAnother<T>(use: (second: Service) => Promise<T>): Promise<T>;
}

/**
 * @param settings of PostgreSQL that differ from those of an embedded one
 */
export async function withFleet<T>(
  fleet: Fleet,
  use: (installation: Installation) => Promise<T>,
  settings: Record<string, string> = {},
) {
  await using stack = new AsyncDisposableStack();
  const directory = serviceDirectory(stack, 'bench');
  const postgres = await startEmbeddedPostgres({ dataDir: directory, settings });
  stack.defer(postgres.stop);
  const db = createDb(createPool(postgres.connectionString, { max: 4 }));
  stack.defer(() => db.destroy());
  await migrate(db);
  await fill(db, fleet, directory);
  const args = [directory, await installationId(db), JSON.stringify(fleet)];
  const { measured } = await beside('scale-engines.ts', args, 0, async () => {
    await untilListening(socketOf(directory, fleet.locations - 1));
    const begun = performance.now();
    const options = {
      socketPath: socketOf(directory, 0),
      names,
      databaseUrl: postgres.connectionString,
      env: {
        BERTH_LOG_LEVEL: 'warn',
        // The receivers of webhooks are on this machine.
        BERTH_WEBHOOK_HTTP: 'true',
        BERTH_WEBHOOK_NETWORKS: '127.0.0.1/32',
      },
    };
    const loop = stack.use(watchedLoop());
    const env = { ...options.env, ...loop.env };
    const service = await startService({ ...options, env, directory });
    const withAnother: Installation['withAnother'] = async (use) => {
      await using own = new AsyncDisposableStack();
      const its = serviceDirectory(own, 'bench');
      return await use(await startService({ ...options, directory: its, beside: service }));
    };
    const passed = () => (performance.now() - begun) / 1000;
    const readySeconds = passed();
    await untilCompared(db, service, fleet);
    const comparedSeconds = passed();
    console.log(`${fleet.locations} locations were compared`);
    const clients = Array.from({ length: fleet.locations }, (_, location) =>
      createIncusClient({ socketPath: socketOf(directory, location), project: names.project }),
    );
    stack.defer(async () => {
      await Promise.all(clients.map((client) => client.close()));
    });
    const { superuserConnectionString } = postgres;
    const figures = { readySeconds, comparedSeconds, superuserConnectionString };
    return await use({ fleet, db, service, loop, directory, ...figures, clients, withAnother });
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

interface Sent {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
}

export const call = async (
  { url, token }: Service,
  path: string,
  { headers, ...sent }: Sent = {},
) => {
  const usual = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { ...sent, headers: { ...usual, ...headers } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
};

/** The value of a metric without labels; 0 if it does not exist. */
export async function metric(service: Service, name: string): Promise<number> {
  const text = await call(service, '/metrics');
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0);
}

export async function sweeps(service: Service): Promise<{ count: number; seconds: number }> {
  const of = (what: string) => metric(service, `berth_sweep_duration_seconds_${what}`);
  return { count: await of('count'), seconds: await of('sum') };
}

export async function until(
  what: string,
  holds: () => Promise<boolean>,
  everyMs = 200,
): Promise<void> {
  const end = Date.now() + settleSeconds * 1000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`Not within ${settleSeconds} s: ${what}.`);
    await sleep(everyMs);
  }
}

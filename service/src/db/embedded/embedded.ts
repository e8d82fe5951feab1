import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type pg from 'pg';
import type { Logger } from 'pino';
import { SetupError } from '../../../../setup/commands.mjs';
import { createOutage } from '../../lib/outage.ts';
import { createClient, withClient } from '../connection.ts';
import { type PostgresBinaries, postgresBinaries } from './binaries.ts';
import { clusterIn, makeDataDirectory, requireNoFile } from './data-directory.ts';
import { logFileIn, logSettings } from './log-file.ts';
import { noRoomForDatabase, noRoomForProgram, requireRoom, requireRoomForNew } from './no-room.ts';
import { ensurePrivateFolder } from './private-folder.ts';
import { ensureDatabase, handOver, mayRotateLog, ownerOf, serviceRole } from './service-role.ts';

const run = promisify(execFile);
const database = 'berth';
/** The superuser of `initdb`, which only this file uses. */
const superuser = 'berth';
/**
 * Maximum length of the path of a unix socket, without the name of the file (unix(7): 108 bytes).
 */
const maxSocketDirectoryLength = 80;
const startSeconds = 60;
const wayOut = 'Stop it, and start it again.';
/**
 * Errors while nobody listens, or PostgreSQL starts up or shuts down (57P03, "cannot_connect_now"), or ends while a
 * connection is being made.
 */
const startingCodes = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P03']);
/** The message of the driver for the same, which has no code. */
const endedMeanwhile = 'Connection terminated unexpectedly';
const reviveMilliseconds = 1000;
const anotherServiceLock = 0x6265727468;

/** A running PostgreSQL in the data directory, which this process owns until `stop`. */
export interface EmbeddedPostgres {
  /** For the owner of the database, who has no other rights. */
  connectionString: string;
  /** For a superuser, who can create databases. */
  superuserConnectionString: string;
  stop(): Promise<void>;
}

export class DataDirectoryInUseError extends SetupError {
  constructor(dataDir: string) {
    super(
      `The data directory ${dataDir} is in use by another running Berth.`,
      'Stop that one, or set BERTH_DATA_DIR to another directory.',
    );
    this.name = 'DataDirectoryInUseError';
  }
}

/**
 * Starts PostgreSQL in `<dataDir>/postgres`, or takes over one that a killed service left running,
 * and restarts it when it dies. It listens on a unix socket only, in a session of its own: Ctrl-C
 * reaches only our process, which stops it after its own work. Throws `DataDirectoryInUseError`.
 */
export async function startEmbeddedPostgres({
  dataDir,
  log,
  settings = {},
  launched,
}: {
  dataDir: string;
  log?: Logger;
  /** Called when PostgreSQL has been launched and does not answer yet. Not called if it runs already. */
  launched?: (() => void) | undefined;
  /** Settings of `postgresql.conf` that differ from ours. */
  settings?: Record<string, string>;
}): Promise<EmbeddedPostgres> {
  const { cluster, lock } = await open(dataDir, settings, launched);
  if (!lock) throw new DataDirectoryInUseError(dataDir);
  return owned(cluster, lock, log);
}

/**
 * For tools: joins a running PostgreSQL, which stays running at the end; otherwise starts one. One
 * that a killed service left running is treated as running, because that service may take it over
 * at any time. Throws `SetupError` if no service has ever run.
 */
export async function joinEmbeddedPostgres({
  dataDir,
}: {
  dataDir: string;
}): Promise<EmbeddedPostgres> {
  if (!(await hasCluster(dataDir))) {
    throw new SetupError(
      `There is no Berth in ${dataDir}.`,
      'Use the same BERTH_DATA_DIR or DATABASE_URL as the service. For "npm run start:simulated": BERTH_DATA_DIR=data-simulated.',
    );
  }
  const running = { ...(await openCluster(dataDir)), settings: {} };
  if (await answers(running)) return await joined(running);
  const { cluster, lock } = await open(dataDir);
  return lock ? owned(cluster, lock) : await joined(cluster);
}

async function joined(cluster: Cluster): Promise<EmbeddedPostgres> {
  const owner = await currentOwner(cluster);
  return { ...connectionStrings(cluster, owner), stop: async () => undefined };
}

/**
 * For tools that start nothing: the connection string of the running PostgreSQL in a data
 * directory; `stopped` if it does not run, and `none` if there is none.
 */
export async function findEmbeddedPostgres({
  dataDir,
}: {
  dataDir: string;
}): Promise<string | 'none' | 'stopped'> {
  if (!(await hasCluster(dataDir))) return 'none';
  const cluster = { ...(await describeCluster(dataDir)), settings: {} };
  if (!(await exists(cluster.socketDirectory))) return 'stopped';
  await ensurePrivateFolder(cluster.socketDirectory, dataDir);
  return (await answers(cluster)) ? connectionString(cluster, database) : 'stopped';
}

async function open(dataDir: string, settings: Record<string, string> = {}, launched?: () => void) {
  const cluster = { ...(await openCluster(dataDir)), settings };
  if (!(await hasCluster(dataDir))) await initialise(cluster);
  await bringUp(cluster, launched);
  const lock = await holdDataDirectory(cluster);
  if (!lock) return { cluster, lock };
  try {
    await prepareDatabase(cluster);
  } catch (error) {
    // Why it failed is worth more than that it can't be stopped.
    await shutDown(cluster, lock).catch(() => undefined);
    throw noRoomForDatabase(error, dataDir) ?? error;
  }
  return { cluster, lock };
}

/** Stops a PostgreSQL whose data directory the connection `lock` holds. */
async function shutDown(cluster: Cluster, lock: pg.Client): Promise<void> {
  if (await answers(cluster)) await pgCtl(cluster, ['stop', '--mode=fast']);
  // This lock is released last: a service that got it earlier would lose its PostgreSQL.
  await lock.end();
  if (cluster.socketIsTemporary) await rm(cluster.socketDirectory, { recursive: true });
}

function owned(cluster: Cluster, lock: pg.Client, log?: Logger): EmbeddedPostgres {
  const supervisor = superviseCluster(cluster, lock, log);
  async function stop(): Promise<void> {
    const held = await supervisor.end();
    // Everything belongs to another service now.
    if (held) await shutDown(cluster, held);
  }
  let stopping: Promise<void> | undefined;
  return {
    ...connectionStrings(cluster, serviceRole),
    // A second stop would end what another service has started since.
    async stop() {
      stopping ??= stop();
      await stopping;
    },
  };
}

/** Restarts PostgreSQL whenever the connection that holds the data directory breaks. */
function superviseCluster(cluster: Cluster, first: pg.Client, log?: Logger) {
  let lock = first;
  let ending = false;
  let isOurs = true;
  let reviving = Promise.resolve();
  const outage =
    log &&
    createOutage(log, {
      failed: 'PostgreSQL could not be restarted. Retrying.',
      works: 'PostgreSQL was restarted.',
    });

  function watch(): void {
    lock.once('end', () => {
      if (!ending) reviving = restart();
    });
  }

  async function restart(): Promise<void> {
    log?.error('PostgreSQL ended unexpectedly. It is being restarted.');
    while (!ending) {
      try {
        await bringUp(cluster);
        const again = await holdDataDirectory(cluster);
        if (!again) return giveUp();
        lock = again;
        outage?.worked();
        return watch();
      } catch (error) {
        outage?.failed(error);
        await sleep(reviveMilliseconds);
      }
    }
  }

  /**
   * Stops restarting, because another service has started meanwhile: two services must not use one
   * data directory.
   */
  function giveUp(): void {
    log?.fatal('Another service has taken over the data directory. This one stops.');
    isOurs = false;
    process.kill(process.pid, 'SIGTERM');
  }

  watch();
  return {
    /**
     * Returns the connection that holds the data directory, if PostgreSQL is still ours to stop.
     */
    async end(): Promise<pg.Client | undefined> {
      ending = true;
      await reviving;
      return isOurs ? lock : undefined;
    },
  };
}

interface Cluster {
  binaries: PostgresBinaries;
  directory: string;
  socketDirectory: string;
  socketIsTemporary: boolean;
  logFile: string;
  settings: Record<string, string>;
}

async function openCluster(dataDir: string): Promise<Omit<Cluster, 'settings'>> {
  await makeDataDirectory(dataDir);
  const cluster = await describeCluster(dataDir);
  await ensurePrivateFolder(cluster.socketDirectory, dataDir);
  return cluster;
}

async function hasCluster(dataDir: string): Promise<boolean> {
  const cluster = clusterIn(dataDir);
  requireNoFile(dataDir, cluster);
  return await exists(join(cluster, 'PG_VERSION'));
}

async function describeCluster(dataDir: string): Promise<Omit<Cluster, 'settings'>> {
  const own = join(dataDir, 'postgres-socket');
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const socketIsTemporary = Buffer.byteLength(own) > maxSocketDirectoryLength;
  const socketDirectory = socketIsTemporary ? join(tmpdir(), `berth-postgres-${hash}`) : own;
  return {
    binaries: await postgresBinaries(),
    directory: clusterIn(dataDir),
    socketDirectory,
    socketIsTemporary,
    logFile: logFileIn(dataDir),
  };
}

/**
 * Runs a program of PostgreSQL, which refuses to run as root. A user namespace with another id
 * satisfies it, and keeps root's access to files: a clone in root's home works, and no user has to
 * be created. It has a session of its own, since a Ctrl-C would interrupt initdb and pg_ctl.
 */
async function runBinary(file: string, args: string[]): Promise<void> {
  const asRoot = process.getuid?.() === 0;
  const namespace = asRoot
    ? ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--']
    : [];
  await run('setsid', ['--wait', ...namespace, file, ...args], {
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  }).catch((error) => {
    throw noNamespace(error) ?? error;
  });
}

/** What unshare(1) prints if a container, or a limit of the system, does not allow a user namespace. */
const namespaceRefused =
  /^unshare: unshare failed: (Operation not permitted|No space left on device)/;

/** Explains why there is no user namespace: a container usually may not create one, even as root. */
function noNamespace({ stderr }: { stderr?: unknown }): SetupError | undefined {
  const printed = String(stderr);
  if (!namespaceRefused.test(printed)) return undefined;
  return new SetupError(
    'PostgreSQL does not run as root, and this system does not let root create a user namespace for it.',
    'Start Berth as an ordinary user that owns the data directory and has access to Incus (docker run --user UID), or set ' +
      'DATABASE_URL to another PostgreSQL.',
    printed,
  );
}

async function initialise({ binaries, directory }: Cluster): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await requireRoomForNew(dirname(directory));
  const args = [
    `--pgdata=${directory}`,
    `--username=${superuser}`,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--data-checksums',
    '--no-instructions',
  ];
  await runBinary(binaries.initdb, args).catch((error) => {
    throw noRoomForProgram(error, dirname(directory)) ?? error;
  });
}

/**
 * Starts PostgreSQL unless it answers. It may be recovering from a crash, and the process of a
 * killed one may exist for another moment: then the start is refused, and tried again.
 */
async function bringUp(cluster: Cluster, launched?: () => void): Promise<void> {
  const end = Date.now() + startSeconds * 1000;
  for (;;) {
    if (await answers(cluster)) return;
    try {
      const starting = start(cluster);
      launched?.();
      await starting;
    } catch (error) {
      if (error instanceof SetupError) throw error;
      await requireRoom(dirname(cluster.directory));
      if (Date.now() > end) {
        const output = error instanceof Error ? error.message : String(error);
        throw new SetupError('PostgreSQL did not start.', `${cluster.logFile} says why.`, output);
      }
      await sleep(100);
    }
  }
}

async function answers(cluster: Cluster): Promise<boolean> {
  try {
    return await withClient(connectionString(cluster, 'postgres'), async () => true);
  } catch (error) {
    if (startingCodes.has(String(errorCode(error)))) return false;
    if (error instanceof Error && error.message === endedMeanwhile) return false;
    throw error;
  }
}

async function start(cluster: Cluster): Promise<void> {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: cluster.socketDirectory,
    unix_socket_permissions: '0700',
    max_connections: '100',
    timezone: 'UTC',
    ...logSettings(cluster.logFile),
    ...cluster.settings,
  };
  // pg_ctl passes these to a shell.
  const quoted = (value: string) => `'${value.replaceAll("'", String.raw`'\''`)}'`;
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${quoted(value)}`);
  await pgCtl(cluster, ['start', '--wait', `--log=${cluster.logFile}`, '-o', options.join(' ')]);
}

async function pgCtl({ binaries, directory }: Cluster, args: string[]): Promise<void> {
  await runBinary(binaries.pgCtl, [...args, `--pgdata=${directory}`]);
}

/**
 * Locks the data directory, for the session of one connection, so that the lock ends with our
 * process in any case. Undefined if another service holds it.
 */
async function holdDataDirectory(cluster: Cluster): Promise<pg.Client | undefined> {
  const client = createClient({ connectionString: connectionString(cluster, 'postgres') });
  await client.connect();
  const sql = 'select pg_try_advisory_lock($1) as held';
  const { rows } = await client.query(sql, [anotherServiceLock]);
  if (rows[0].held) return client;
  await client.end();
  return undefined;
}

/** Creates the database, or changes the owner of one that a superuser created. */
async function prepareDatabase(cluster: Cluster): Promise<void> {
  await asSuperuser(cluster, 'postgres', (client) => ensureDatabase(client, database));
  await asSuperuser(cluster, database, async (client) => {
    await handOver(client);
    await mayRotateLog(client);
  });
}

/** The running service may be of an old release, which works as the superuser. */
async function currentOwner(cluster: Cluster): Promise<string> {
  const end = Date.now() + startSeconds * 1000;
  for (;;) {
    const owner = await asSuperuser(cluster, 'postgres', (client) => ownerOf(client, database));
    if (owner !== undefined) return owner;
    if (Date.now() > end)
      throw new SetupError('The running service does not create its database.', wayOut);
    await sleep(100);
  }
}

async function asSuperuser<T>(
  cluster: Cluster,
  name: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return await withClient(connectionString(cluster, name), work);
}

function connectionStrings(cluster: Cluster, role: string) {
  return {
    connectionString: connectionString(cluster, database, role),
    superuserConnectionString: connectionString(cluster, database),
  };
}

function connectionString(cluster: Cluster, name: string, role = superuser): string {
  return `postgresql://${role}@/${name}?host=${encodeURIComponent(cluster.socketDirectory)}`;
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerAction } from '@berth/contract/server-actions';
import type { ServerCreate, ServerRebuild, ServerResize } from '@berth/contract/servers';
import type { Timing } from '../incus-sim/src/engine.ts';
import { type Simulator, startSimulator } from '../incus-sim/src/simulator.ts';
import { createApi } from '../service/src/api.ts';
import { createDiskFullMonitor } from '../service/src/db/errors.ts';
import { createLeader } from '../service/src/db/locks/leader.ts';
import { listenForNotifications } from '../service/src/db/notifications.ts';
import { Project } from '../service/src/db/project.ts';
import { installationId } from '../service/src/db/queries.ts';
import { plainShell } from '../service/src/edge/settings.ts';
import type { IncusClient } from '../service/src/incus/client.ts';
import { instanceName } from '../service/src/instances/labels.ts';
import { createEngines } from '../service/src/locations/engines.ts';
import { requireLocation } from '../service/src/locations/queries.ts';
import { createMetrics } from '../service/src/metrics/metrics.ts';
import { publicImageServer } from '../service/src/operating-systems/image-servers.ts';
import { operationKinds } from '../service/src/operation-kinds.ts';
import type { OperationKind } from '../service/src/operations/define.ts';
import type { OperationRow } from '../service/src/operations/queries.ts';
import { startOperationRunner } from '../service/src/operations/runner/runner.ts';
import { createPoolQuotas } from '../service/src/pool-quotas/pool-quotas.ts';
import { recordStatuses, type StatusRecorder } from '../service/src/reconciler-runtime/status.ts';
import { watchLocations } from '../service/src/reconcilers/location/locations.ts';
import { actions } from '../service/src/servers/actions/all.ts';
import { enterAction } from '../service/src/servers/actions/enter.ts';
import { moveAction } from '../service/src/servers/actions/move.ts';
import { sealPassword } from '../service/src/servers/actions/password.ts';
import { rebuildAction } from '../service/src/servers/actions/rebuild.ts';
import { resizeAction } from '../service/src/servers/actions/resize.ts';
import { startCreateQueue } from '../service/src/servers/create-queue.ts';
import { createServer, sealSecrets } from '../service/src/servers/creation/create.ts';
import { updateServer } from '../service/src/servers/update/update.ts';
import { createTestToken, generousLimits } from '../service/src/testing/app.ts';
import { keptLog } from '../service/src/testing/canaries.ts';
import { type Installation, installation } from '../service/src/testing/fixtures.ts';
import { inject } from '../service/src/testing/inject.ts';
import { testKeyring } from '../service/src/testing/keys.ts';
import { createTestDatabase, type TestDatabase } from '../service/src/testing/postgres.ts';
import { serverBody } from '../service/src/testing/servers.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';
import { assertEventsTell } from '../service/src/testing/told-events.ts';
import { until } from '../service/src/testing/until.ts';
import { strictTargets } from '../service/src/webhooks/url.ts';

/** The project in Incus. */
export const project = 'berth';

const secretKey = testKeyring();
const endedSeconds = 120;
const imageServers = [publicImageServer];

/** The password of root that the action `password` sets. */
export const newPassword = 'Canary-new-4714';

/** Actions without parameters, except for the force of a stop, the reason of a suspension, and a password. */
export type PlainAction = Exclude<ServerAction, 'move' | 'rebuild' | 'resize'>;

/** Operations on a simulated engine and a real database, carried out by several workers and watched. */
export interface Laboratory {
  database: TestDatabase;
  place: Installation;
  simulator: Simulator;
  client: IncusClient;
  /** `commands` run after the one that each server has. */
  create(
    name: string,
    commands?: string[],
    more?: Partial<ServerCreate>,
  ): Promise<{ serverId: number; operation: OperationRow }>;
  request(serverId: number, action: PlainAction, force?: boolean): Promise<OperationRow>;
  /** Moves a server to the named node, or to one that Berth chooses. */
  move(serverId: number, node?: string): Promise<OperationRow>;
  resize(serverId: number, wanted: ServerResize): Promise<OperationRow>;
  /** Rebuilds a server with the commands of a create. */
  rebuild(serverId: number, more?: Partial<ServerRebuild>): Promise<OperationRow>;
  rename(serverId: number, name: string): Promise<OperationRow>;
  ended(operationId: number): Promise<OperationRow>;
  server(id: number): Promise<ServerNow>;
  /** The response to a GET, by default for a caller in the project. */
  ask(path: string, headers?: Record<string, string>): Promise<Record<string, unknown>>;
  /** Sends a POST, by default for a caller in the project. */
  post(
    path: string,
    headers?: Record<string, string>,
    body?: object,
  ): Promise<Awaited<ReturnType<typeof inject>>>;
  metrics(): Promise<string>;
  /** The log so far, from the level that is the default. */
  logged(): Record<string, unknown>[];
  /** The status of all reconcilers. */
  statuses: StatusRecorder['statuses'];
  close(): Promise<void>;
}

export interface ServerNow {
  name: string;
  status: string;
  error: string | null;
  /** When the engine first showed its current state. */
  since: string;
  isDeleted: boolean;
  node: string;
  /** The id of the node on which capacity is reserved for it. */
  movingTo: number | null;
  /** Its cores, MiB and GiB. */
  size: [cpu: number, ramMb: number, diskGb: number];
  /** Whether another size is reserved for it. */
  isResizing: boolean;
}

interface Equipment {
  kinds?: readonly OperationKind[];
  workers?: number;
  stopTimeoutSeconds?: number;
  sweepMilliseconds?: number;
  pingMilliseconds?: number;
  /** The members of a cluster; none by default. */
  members?: string[];
  timing?: Partial<Timing>;
  /** How many operations each worker carries out concurrently. */
  concurrency?: number;
  createsPerNode?: number;
  /** Continues another laboratory whose services have ended, with its engine and records. */
  goOn?: { simulator: Simulator; database: TestDatabase };
  /** Whether the engine keeps running after the close, for another laboratory. */
  leavesEngine?: boolean;
  /** Whether the engine is watched, in addition to the workers. */
  watches?: boolean;
}

export async function openLaboratory({
  kinds = operationKinds,
  workers = 2,
  stopTimeoutSeconds = 5,
  members = [],
  timing = {},
  concurrency = 500,
  createsPerNode = 1000,
  goOn,
  leavesEngine = false,
  watches = true,
  ...watching
}: Equipment = {}): Promise<Laboratory> {
  await using stack = new AsyncDisposableStack();
  const database = goOn?.database ?? (await createTestDatabase());
  if (!goOn) stack.defer(database.close);
  // When nothing changes any more.
  stack.defer(() => assertEventsTell(database.db));
  const { db } = database;
  const place = goOn ? await placeOf(database) : await installation(db, { addresses: 250 });
  const directory = temporaryDirectory('laboratory');
  if (!leavesEngine) stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  const socketPath = join(directory, 'socket');
  // There is capacity for as many servers as there are addresses.
  const memoryBytes = 2 ** 40;
  const simulator =
    goOn?.simulator ??
    (await startSimulator({ listen: { socketPath }, members, timing, memoryBytes }));
  if (!goOn && !leavesEngine) stack.defer(() => simulator.close());
  if (!goOn) {
    const names = { project, pool: 'berth', network: 'berthbr0' };
    simulator.plant({ ...names, imageAliases: ['berth-debian-12'] });
    const engine = JSON.stringify({ socket_path: socketPath });
    await db.updateTable('locations').set({ engine, creates_per_node: createsPerNode }).execute();
    await enterMembers(database, members);
  }
  const location = await requireLocation(db, place.locationId);
  const { pool } = database;
  const metrics = createMetrics({ db, pools: { requests: pool } }, { ofServers: true });
  const { log, lines } = keptLog('warn');
  const engines = createEngines({ observe: metrics.called, log });
  stack.defer(() => engines.close());
  const client = engines.of(location);
  const notifications = listenForNotifications(database.connectionString, log);
  stack.defer(() => notifications.close());
  const runs = recordStatuses(metrics.reconcilers);
  const ours = await installationId(db);
  for (let worker = 0; worker < workers; worker += 1) {
    const settings = {
      installationId: ours,
      secretKey,
      stopTimeoutSeconds,
      movesAtOnce: 2,
      imageDirectories: { work: directory },
      imageServers,
      quotaGuardOf: async () => undefined,
    };
    const observer = metrics.operations;
    const execution = { db, leases: db, log, engine: async () => client, settings, observer };
    const runner = startOperationRunner({
      db,
      notifications,
      kinds,
      concurrency,
      log,
      execution,
      runs,
    });
    stack.defer(() => runner.stop());
  }
  const creates = startCreateQueue(db, notifications, log, runs);
  stack.defer(() => creates.stop());
  const stopping = new AbortController();
  const leader = createLeader({ pool, log });
  const findApi = async () => [];
  const told = {
    imageDirectories: { work: directory },
    imageServers,
    observer: metrics.watch,
    runs,
    findApi,
    protectedAddresses: [],
    poolQuotas: createPoolQuotas(ours),
    ...watching,
  };
  const watchers = watches
    ? await watchLocations(
        { db, leader, engines, notifications, log, secretKey, ...told },
        stopping.signal,
      )
    : undefined;
  stack.defer(async () => {
    stopping.abort();
    await watchers?.ended;
  });
  const config = {
    ...{ publicUrl: new URL('http://localhost:8080'), oidc: undefined, imageServers },
    webhooks: strictTargets,
    ...{ databaseUrl: database.connectionString, dataDir: '' },
  };
  const health = { db, pool };
  const heard = { notifications, log, metrics, refusedRoom: createDiskFullMonitor() };
  const foundation = { config, db, health, engines, secretKey, ...heard };
  const settings = { limits: generousLimits, shell: plainShell };
  const app = await createApi(
    { ...foundation, draining: stopping.signal, stopping: stopping.signal },
    settings,
  );
  stack.defer(() => app.close());
  const { headers } = await createTestToken(db);
  const open = stack.move();
  const owner = new Project(db, place.projectId);
  const wanted = ['echo ran >> /root/ran'];
  return {
    database,
    place,
    simulator,
    client,
    async create(name, commands = [], more = {}) {
      const initialCommands = [...wanted, ...commands];
      const body = serverBody(place, { initialCommands, name, ...more }) as ServerCreate;
      const secrets = await sealSecrets(body, secretKey, 'a test');
      return await db
        .transaction()
        .execute((trx) => createServer(trx, owner.in(trx), body, secrets));
    },
    async request(serverId, action, force) {
      const seal = await sealPassword(newPassword, secretKey, 'a test');
      const wanted = action === 'retry' ? secretKey : { force, reason: 'Unpaid.', seal };
      return await db
        .transaction()
        .execute((trx) =>
          enterAction({ trx, project: owner.in(trx) }, serverId, actions[action], wanted),
        );
    },
    move: (serverId, node) =>
      db
        .transaction()
        .execute((trx) =>
          enterAction({ trx, project: owner.in(trx) }, serverId, moveAction, { node }),
        ),
    resize: (serverId, wanted) =>
      db
        .transaction()
        .execute((trx) =>
          enterAction({ trx, project: owner.in(trx) }, serverId, resizeAction, wanted),
        ),
    async rebuild(serverId, more = {}) {
      const password = 'correct horse battery';
      const body = { erase: true, password, initialCommands: wanted, ...more };
      const secrets = await sealSecrets(body, secretKey, 'a test');
      const asked = { secrets, body, commands: body.initialCommands.length };
      return await db
        .transaction()
        .execute((trx) =>
          enterAction({ trx, project: owner.in(trx) }, serverId, rebuildAction, asked),
        );
    },
    rename: (serverId, name) =>
      db.transaction().execute(async (trx) => {
        const { operation } = await updateServer({ trx, project: owner.in(trx) }, serverId, {
          name,
        });
        if (!operation) throw new Error(`There is nothing to rename in the server ${serverId}.`);
        return operation;
      }),
    async ended(operationId) {
      const query = db.selectFrom('operations').selectAll().where('id', '=', operationId);
      return await until(
        `the operation ${operationId} has ended`,
        () => query.executeTakeFirstOrThrow(),
        ({ finished_at }) => finished_at !== null,
        endedSeconds,
      );
    },
    async server(id) {
      const row = await db
        .selectFrom('servers')
        .innerJoin('nodes', 'nodes.id', 'servers.node_id')
        .selectAll('servers')
        .select('nodes.name as node')
        .where('servers.id', '=', id)
        .executeTakeFirstOrThrow();
      const { status, error, uuid, node, moving_to, deleted_at, real_status_at: since } = row;
      const isDeleted = deleted_at !== null;
      const name = instanceName(uuid);
      const size: ServerNow['size'] = [row.cpu, row.ram_mb, row.disk_gb];
      const isResizing = row.resizing_cpu !== null;
      return { name, status, error, since, isDeleted, node, movingTo: moving_to, size, isResizing };
    },
    ask: async (path, own = headers) =>
      (await inject(app, { url: `/v1${path}`, headers: own })).json(),
    post: async (path, own = headers, payload) =>
      await inject(app, {
        ...{ method: 'POST', url: `/v1${path}`, headers: own },
        ...(payload && { payload }),
      }),
    metrics: () => metrics.text('text'),
    logged: () => lines.map((line) => JSON.parse(line)),
    statuses: runs.statuses,
    close: () => open.disposeAsync(),
  };
}

/** The location and node in the records of another laboratory. */
async function placeOf({ db }: TestDatabase): Promise<Installation> {
  const one = async (table: 'projects' | 'locations' | 'nodes') =>
    (await db.selectFrom(table).select('id').orderBy('id').executeTakeFirstOrThrow()).id;
  const os = db.selectFrom('operating_systems').select('id').where('slug', '=', 'debian-12');
  return {
    projectId: await one('projects'),
    locationId: await one('locations'),
    nodeId: await one('nodes'),
    osId: (await os.executeTakeFirstOrThrow()).id,
  };
}

/** Inserts a node for each member. They replace the node without a cluster, which has the name of its engine. */
async function enterMembers({ db }: TestDatabase, members: string[]): Promise<void> {
  if (members.length === 0) {
    await db.updateTable('nodes').set({ name: 'simulated' }).execute();
    return;
  }
  const { id: _, ...node } = await db.selectFrom('nodes').selectAll().executeTakeFirstOrThrow();
  await db.deleteFrom('nodes').execute();
  const nodes = members.map((name) => ({ ...node, name, member: name }));
  await db.insertInto('nodes').values(nodes).execute();
}

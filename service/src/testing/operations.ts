import { after, afterEach } from 'node:test';
import { pino } from 'pino';
import type { Db } from '../db/connection.ts';
import { listenForNotifications } from '../db/notifications.ts';
import { Project } from '../db/project.ts';
import type { IncusClient } from '../incus/client.ts';
import { done, type OperationKind, type Step } from '../operations/define.ts';
import { insertOperation } from '../operations/queries.ts';
import {
  type OperationRunner,
  type RunnerOptions,
  startOperationRunner,
} from '../operations/runner/runner.ts';
import {
  defineServerOperation,
  type ServerOperationKind,
  type ServerStepContext,
} from '../servers/define-operation.ts';
import { insertServer } from '../servers/queries.ts';
import { setServerState } from '../servers/worker-queries.ts';
import { installation } from './fixtures.ts';
import { testKeyring } from './keys.ts';
import { createTestDatabase } from './postgres.ts';
import { until } from './until.ts';

// A database for the tests of a file, and runners, which stop after each test.

export type State = Record<string, unknown>;

const log = pino({ level: 'silent' });
const database = await createTestDatabase();
export const { db, pool, connectionString } = database;
const notifications = listenForNotifications(database.connectionString, log);
export const place = await installation(db);
const runners: OperationRunner[] = [];

/** Stops all runners. */
export async function stopRunners(): Promise<void> {
  await Promise.all(runners.splice(0).map((runner) => runner.stop()));
}

afterEach(stopRunners);

after(async () => {
  await notifications.close();
  await database.close();
});

export function kindOf(
  steps: Record<string, Step<State, ServerStepContext<State>>['run']>,
  more: Partial<ServerOperationKind> = {},
): ServerOperationKind {
  const entries = Object.entries(steps).map(([name, run]) => {
    return [name, { weight: 1, doing: `at ${name}`, run }] as const;
  });
  return defineServerOperation<State>({
    kind: 'test',
    title: 'Testing',
    deadlineSeconds: 60,
    first: entries[0]?.[0] ?? '',
    steps: Object.fromEntries(entries),
    failed: async (trx, operation, error) =>
      await setServerState(trx, operation.server_id, { status: 'error', error }),
    ...more,
  });
}

/** Uses the given connections of the worker, or else those of the tests. */
export function run(
  kind: OperationKind,
  own: Partial<RunnerOptions['execution']> = {},
  runs: Partial<Pick<RunnerOptions, 'concurrency' | 'notifications'>> = {},
): void {
  const runner = startOperationRunner({
    db: own.db ?? db,
    notifications,
    kinds: [kind],
    concurrency: 8,
    ...runs,
    log: own.log ?? log,
    execution: {
      db,
      leases: db,
      log,
      engine: async () => ({}) as IncusClient,
      settings: {
        installationId: 'test',
        secretKey: testKeyring(),
        stopTimeoutSeconds: 1,
        movesAtOnce: 4,
        imageDirectories: { work: '/nowhere' },
        imageServers: [],
        quotaGuardOf: async () => undefined,
      },
      ...own,
    },
  });
  runners.push(runner);
}

export async function enter(kind: OperationKind, more: { secrets?: Buffer } = {}): Promise<number> {
  const serverId = await enterServer();
  return await enterFor(serverId, kind, more);
}

export async function enterServer(): Promise<number> {
  const uuid = crypto.randomUUID();
  return await db.transaction().execute((trx) =>
    insertServer(new Project(trx, place.projectId), {
      ...place,
      uuid,
      hostname: 'test',
      mac: uuid,
      cpu: 1,
      ramMb: 256,
      diskGb: 2,
      trafficAllowance: null,
    }),
  );
}

export async function enterFor(
  serverId: number,
  kind: OperationKind,
  more: { secrets?: Buffer } = {},
) {
  const { kind: name, first: step, deadlineSeconds } = kind;
  const { id } = await db.transaction().execute((trx) =>
    insertOperation(new Project(trx, place.projectId), {
      kind: name,
      step,
      deadlineSeconds,
      serverId,
      message: 'new',
      ...(more.secrets && { secrets: () => more.secrets as Buffer }),
    }),
  );
  return id;
}

export async function rowOf(id: number) {
  const query = db.selectFrom('operations').selectAll().where('id', '=', id);
  return await query.executeTakeFirstOrThrow();
}

export async function untilEnded(id: number) {
  const look = () => rowOf(id);
  return await until(`the operation ${id} has ended`, look, (row) => row.finished_at !== null);
}

export const ended = () => done('Well done.', async () => undefined);

interface Watcher {
  /**
   * Called with the SQL of each statement before it is sent. If it throws, the statement fails. Also called with each
   * part that a query builds from the database itself, not from the builder of its expression.
   */
  before?(text: string): void;
  /** Called with the SQL and the number of rows of each answer, which is held back until then. */
  after?(text: string, rows: number): void | Promise<void>;
}

/** The same database, with each statement reported to a test. */
export function watched({ before, after: answered }: Watcher): Db {
  const texts = new WeakMap<object, string>();
  return db.withPlugin({
    transformQuery({ node, queryId }) {
      const { sql: text } = db.getExecutor().compileQuery(node, queryId);
      texts.set(queryId, text);
      before?.(text);
      return node;
    },
    async transformResult({ queryId, result }) {
      await answered?.(texts.get(queryId) ?? '', result.rows.length);
      return result;
    },
  });
}

/** The same database, and how many searches for due operations have ended. */
export function countedSearches() {
  let searches = 0;
  const noted = watched({
    after(text) {
      if (text.startsWith('with "leased"')) searches += 1;
    },
  });
  return { noted, searches: () => searches };
}

/** Collects the lines of a log. */
export function loggedLines() {
  const lines: Record<string, unknown>[] = [];
  const level = { level: 'info' };
  const kept = pino(level, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log: kept, lines };
}

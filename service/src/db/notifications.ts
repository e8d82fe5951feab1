import { EventEmitter } from 'node:events';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Logger } from 'pino';
import { createOutage, type Outage } from '../lib/outage.ts';
import { pause } from '../lib/pause.ts';
import { createClient, type Queryable } from './connection.ts';

/** What the replicas tell each other. A notification is a hint: who missed it polls. */
export interface Notifications {
  operation_due: { id: number };
  operation_superseded: { id: number };
  operation_released: { id: number };
  operation_finished: { id: number };
  /** The id is the node's, on which another create may begin. The tables' triggers send it. */
  create_place_free: { id: number };
  /** The id is the location's. */
  image_wanted: { id: number };
  /** What servers of a location may reach has changed; the id is the location's. */
  network_policy_wanted: { id: number };
  /** Where an engine is, or whether there is one. The tables' triggers send it. */
  locations_changed: Record<string, never>;
  /** What a token or a session came to may hold no longer. The tables' triggers send it. */
  credentials_changed: Record<string, never>;
  /** What a service let through, for the others to count it too. */
  limits_taken: {
    from: string;
    taken: readonly (readonly [policy: string, key: string, count: number])[];
  };
}

type Name = keyof Notifications;

/** Whether a payload is what its name says. */
const checks: Record<Name, (payload: Record<string, unknown>) => boolean> = {
  operation_due: hasId,
  operation_superseded: hasId,
  operation_released: hasId,
  operation_finished: hasId,
  create_place_free: hasId,
  image_wanted: hasId,
  network_policy_wanted: hasId,
  locations_changed: () => true,
  credentials_changed: () => true,
  limits_taken: ({ from, taken }) =>
    typeof from === 'string' && Array.isArray(taken) && taken.every(isTaking),
};

function hasId({ id }: Record<string, unknown>): boolean {
  return Number.isSafeInteger(id);
}

function isTaking(taking: unknown): boolean {
  if (!Array.isArray(taking) || taking.length !== 3) return false;
  const [policy, key, count] = taking;
  return (
    typeof policy === 'string' &&
    typeof key === 'string' &&
    Number.isSafeInteger(count) &&
    count !== 0
  );
}

type Handler<N extends Name> = (payload: Notifications[N]) => void;

export interface NotificationListener {
  on<N extends Name>(name: N, handler: Handler<N>): () => void;
  /** Called when the connection is lost: what is sent until there is another one is not heard. */
  onLost(handler: () => void): () => void;
  /** Whether all was heard that was sent until a second ago. */
  isUpToDate(): boolean;
  close(): Promise<void>;
}

const channel = 'berth';
const name = 'berth-listen';

/** How often PostgreSQL is asked for a sign of life, and when one that gives none counts as lost. */
const beatMs = 300;
const longestSilenceMs = 10_000;
const upToDateMs = 1000;
/** One that is lost sooner has not come back: what connects and is cut off at once is one outage. */
const steadyAfterMs = 10_000;

const lost = Symbol('lost');

/** What the listener's connection tells about itself. */
interface Line {
  emitter: EventEmitter;
  /** When the last sign of life was asked for that came. */
  aliveAt: number;
  announce?: () => string;
}

/** Sent when the transaction commits, and never when it rolls back. */
export async function notify<N extends Name>(
  db: Queryable,
  name: N,
  payload: Notifications[N],
): Promise<void> {
  await sql`select pg_notify(${channel}, ${JSON.stringify({ name, payload })})`.execute(db);
}

interface Listening {
  /** What it answers, up to 50 characters, is shown to whoever looks at the connections in PostgreSQL, within a second. */
  announce?: (() => string) | undefined;
  /** After how long a new connection counts as one that is back. */
  steadyMs?: number;
}

/** Listens on a connection of its own, and connects again when that is lost. */
export function listenForNotifications(
  connectionString: string,
  log: Logger,
  { announce, steadyMs = steadyAfterMs }: Listening = {},
): NotificationListener {
  const line: Line = {
    emitter: new EventEmitter(),
    aliveAt: Number.NEGATIVE_INFINITY,
    ...(announce && { announce }),
  };
  const { emitter } = line;
  emitter.setMaxListeners(0);
  const closing = new AbortController();
  const running = keepListening(connectionString, line, closing.signal, { log, steadyMs });
  return {
    on(name, handler) {
      emitter.on(name, handler);
      return () => emitter.off(name, handler);
    },
    onLost(handler) {
      emitter.on(lost, handler);
      return () => emitter.off(lost, handler);
    },
    isUpToDate: () => performance.now() - line.aliveAt < upToDateMs,
    async close() {
      closing.abort();
      await running;
    },
  };
}

async function keepListening(
  connectionString: string,
  line: Line,
  signal: AbortSignal,
  { log, steadyMs }: { log: Logger; steadyMs: number },
): Promise<void> {
  const outage = createOutage(log, {
    failed: 'The connection for notifications was lost. Reconnecting.',
    works: 'The connection for notifications is back.',
  });
  while (!signal.aborted) {
    try {
      await listenOnce(connectionString, line, signal, { log, outage, steadyMs });
    } catch (error) {
      outage.failed(error);
      await pause(500, signal);
    }
  }
}

async function listenOnce(
  connectionString: string,
  line: Line,
  signal: AbortSignal,
  { log, outage, steadyMs }: { log: Logger; outage: Outage; steadyMs: number },
): Promise<void> {
  const client = createClient({
    connectionString,
    keepAlive: true,
    query_timeout: longestSilenceMs,
    connectionTimeoutMillis: longestSilenceMs,
    application_name: name,
  });
  const ended = Promise.withResolvers<void>();
  const stop = () => ended.resolve();
  signal.addEventListener('abort', stop, { once: true });
  client.on('error', ended.reject);
  client.on('end', () => ended.reject(new Error('PostgreSQL closed the connection.')));
  client.on('notification', ({ payload = '' }) => {
    const heard = parseNotification(payload);
    if (heard) line.emitter.emit(heard.name, heard.payload);
    else log.warn({ payload }, 'A notification that Berth did not send was ignored.');
  });
  try {
    await client.connect();
    await client.query(`listen ${channel}`);
    const steadyAt = performance.now() + steadyMs;
    const onAlive = () => {
      if (performance.now() >= steadyAt) outage.worked();
    };
    await Promise.race([ended.promise, proveAlive(client, line, signal, onAlive)]);
  } finally {
    signal.removeEventListener('abort', stop);
    line.aliveAt = Number.NEGATIVE_INFINITY;
    line.emitter.emit(lost);
    ended.promise.catch(() => undefined); // Ending the client reports its end once more.
    await client.end();
  }
}

/**
 * PostgreSQL sends what there is to hear before it answers a query: an answer proves that all was
 * heard that was sent before the question. A connection that hangs is found out by that, too.
 */
async function proveAlive(
  client: pg.Client,
  line: Line,
  signal: AbortSignal,
  onAlive: () => void,
): Promise<void> {
  let announced = '';
  while (!signal.aborted) {
    const askedAt = performance.now();
    const told = line.announce?.() ?? '';
    if (told === announced) await client.query('select 1');
    else
      await client.query(`select set_config('application_name', $1, false)`, [`${name} ${told}`]);
    announced = told;
    line.aliveAt = askedAt;
    onAlive();
    await pause(beatMs, signal);
  }
}

/** Anyone who may use the database may write to the channel. */
function parseNotification(text: string): { name: string; payload: unknown } | undefined {
  try {
    const { name, payload } = JSON.parse(text);
    if (!Object.hasOwn(checks, name) || !checks[name as Name](payload)) return undefined;
    return { name, payload };
  } catch {
    return undefined;
  }
}

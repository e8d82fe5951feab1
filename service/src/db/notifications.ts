import { EventEmitter } from 'node:events';
import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { Logger } from 'pino';
import { createOutage, type Outage } from '../lib/outage.ts';
import { pause } from '../lib/pause.ts';
import { createClient, type Queryable } from './connection.ts';

/**
 * The notifications between replicas. A notification may be lost, so that its receivers also poll.
 */
export interface Notifications {
  operation_due: { id: number };
  operation_superseded: { id: number };
  operation_released: { id: number };
  operation_finished: { id: number };
  /** `id` is the node on which another create may begin. Sent by triggers. */
  create_place_free: { id: number };
  /** `id` is the location. */
  image_wanted: { id: number };
  /** What servers of a location may reach has changed; `id` is the location. */
  network_policy_wanted: { id: number };
  /** There are new events to read; `until` is the id of the last one. */
  events_written: { until: number };
  /** The address of an engine has changed, or a location was added or removed. Sent by triggers. */
  locations_changed: Record<string, never>;
  /** Cached results for tokens or sessions may be outdated. Sent by triggers. */
  credentials_changed: Record<string, never>;
  /** What a service took from its rate limits, so that the others count it too. */
  limits_taken: {
    from: string;
    taken: readonly (readonly [policy: string, key: string, count: number])[];
  };
}

type Name = keyof Notifications;

/** Checks the payload of each notification. */
const checks: Record<Name, (payload: Record<string, unknown>) => boolean> = {
  operation_due: hasId,
  operation_superseded: hasId,
  operation_released: hasId,
  operation_finished: hasId,
  create_place_free: hasId,
  image_wanted: hasId,
  network_policy_wanted: hasId,
  events_written: ({ until }) => Number.isSafeInteger(until),
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
  /** Called when the connection is lost: notifications are missed until there is a new one. */
  onLost(handler: () => void): () => void;
  /** Whether all notifications were received that were sent until a second ago. */
  isUpToDate(): boolean;
  close(): Promise<void>;
}

/** For processes without notifications. */
export const noNotifications: Pick<NotificationListener, 'on' | 'onLost'> = {
  on: () => () => undefined,
  onLost: () => () => undefined,
};

const channel = 'berth';
const name = 'berth-listen';

/** The interval of heartbeats, and the time after which a connection without one counts as lost. */
const heartbeatMs = 300;
const longestSilenceMs = 10_000;
const upToDateMs = 1000;
/** One that is lost sooner has not come back: what connects and is cut off at once is one outage. */
const steadyAfterMs = 10_000;

const lost = Symbol('lost');

/** The state of the listener's connection. */
interface ListenerState {
  emitter: EventEmitter;
  /** When the last heartbeat was sent that was answered. */
  aliveAt: number;
  announce?: () => string;
}

/** Sends a notification when the transaction commits; none if it rolls back. */
export async function notify<N extends Name>(
  db: Queryable,
  name: N,
  payload: Notifications[N],
): Promise<void> {
  await sql`select ${notification(name, payload)}`.execute(db);
}

/** The same as a part of another statement. */
export function notification<N extends Name>(name: N, payload: Notifications[N]) {
  return sql`pg_notify(${channel}, ${JSON.stringify({ name, payload })})`;
}

/** The same with a payload that the statement computes. */
export function notificationWith<N extends Name>(
  name: N,
  payload: { [K in keyof Notifications[N]]: RawBuilder<unknown> },
) {
  const fields = Object.entries<RawBuilder<unknown>>(payload).map(
    ([key, value]) => sql`${sql.lit(key)}, ${value}`,
  );
  const body = sql`json_build_object(${sql.join(fields)})`;
  return sql`pg_notify(${channel}, json_build_object('name', ${sql.lit(name)}, 'payload', ${body})::text)`;
}

interface Listening {
  /** Its result, of up to 50 characters, is shown within a second as the name of the connection in PostgreSQL. */
  announce?: (() => string) | undefined;
  /** How long a new connection has to last until the outage counts as over. */
  steadyMs?: number;
  /** Gets how this connection does, too. */
  databaseOutage?: Outage;
}

/** Listens on a connection of its own, and reconnects when that is lost. */
export function listenForNotifications(
  connectionString: string,
  log: Logger,
  { announce, steadyMs = steadyAfterMs, databaseOutage }: Listening = {},
): NotificationListener {
  const line: ListenerState = {
    emitter: new EventEmitter(),
    aliveAt: Number.NEGATIVE_INFINITY,
    ...(announce && { announce }),
  };
  const { emitter } = line;
  emitter.setMaxListeners(0);
  const closing = new AbortController();
  const running = keepListening(connectionString, line, closing.signal, {
    ...{ log, steadyMs, databaseOutage },
  });
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

interface Kept {
  log: Logger;
  steadyMs: number;
  databaseOutage: Outage | undefined;
}

async function keepListening(
  connectionString: string,
  line: ListenerState,
  signal: AbortSignal,
  { log, steadyMs, databaseOutage }: Kept,
): Promise<void> {
  const outage = createOutage(log, {
    failed: 'The connection for notifications was lost. Reconnecting.',
    works: 'The connection for notifications is back.',
  });
  while (!signal.aborted) {
    try {
      await listenOnce(connectionString, line, signal, { log, outage, steadyMs, databaseOutage });
    } catch (error) {
      databaseOutage?.failed(error);
      outage.failed(error);
      await pause(500, signal);
    }
  }
}

async function listenOnce(
  connectionString: string,
  line: ListenerState,
  signal: AbortSignal,
  { log, outage, steadyMs, databaseOutage }: Kept & { outage: Outage },
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
      databaseOutage?.worked();
      if (performance.now() >= steadyAt) outage.worked();
    };
    await Promise.race([ended.promise, sendHeartbeats(client, line, signal, onAlive)]);
  } finally {
    signal.removeEventListener('abort', stop);
    line.aliveAt = Number.NEGATIVE_INFINITY;
    line.emitter.emit(lost);
    ended.promise.catch(() => undefined); // Ending the client reports its end once more.
    await client.end();
  }
}

/**
 * Queries the connection regularly. PostgreSQL sends notifications before the answer of a query, so
 * an answer proves that all earlier ones were received. It also detects a connection that hangs.
 */
async function sendHeartbeats(
  client: pg.Client,
  line: ListenerState,
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
    await pause(heartbeatMs, signal);
  }
}

/** Anyone who may use the database can write to the channel, so the payload is checked. */
function parseNotification(text: string): { name: string; payload: unknown } | undefined {
  try {
    const { name, payload } = JSON.parse(text);
    if (!Object.hasOwn(checks, name) || !checks[name as Name](payload)) return undefined;
    return { name, payload };
  } catch {
    return undefined;
  }
}

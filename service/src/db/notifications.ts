import { EventEmitter } from 'node:events';
import { sql } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { pause } from '../pause.ts';
import type { Queryable } from './connection.ts';

/** What the replicas tell each other. A notification is a hint: who missed it polls. */
export interface Notifications {
  operation_due: { id: number };
  operation_superseded: { id: number };
  operation_released: { id: number };
  operation_finished: { id: number };
  /** The id is the location's. */
  image_wanted: { id: number };
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
  image_wanted: hasId,
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
    count > 0
  );
}

type Handler<N extends Name> = (payload: Notifications[N]) => void;

export interface NotificationListener {
  on<N extends Name>(name: N, handler: Handler<N>): () => void;
  close(): Promise<void>;
}

const channel = 'berth';

/** Sent when the transaction commits, and never when it rolls back. */
export async function notify<N extends Name>(
  db: Queryable,
  name: N,
  payload: Notifications[N],
): Promise<void> {
  await sql`select pg_notify(${channel}, ${JSON.stringify({ name, payload })})`.execute(db);
}

/** Listens on a connection of its own, and connects again when that is lost. */
export function listenForNotifications(
  connectionString: string,
  log: Logger,
): NotificationListener {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  const closing = new AbortController();
  const running = keepListening(connectionString, emitter, closing.signal, log);
  return {
    on(name, handler) {
      emitter.on(name, handler);
      return () => emitter.off(name, handler);
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}

async function keepListening(
  connectionString: string,
  emitter: EventEmitter,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await listenOnce(connectionString, emitter, signal, log);
    } catch (error) {
      log.warn({ err: error }, 'The connection for notifications was lost; connecting again.');
      await pause(500, signal);
    }
  }
}

async function listenOnce(
  connectionString: string,
  emitter: EventEmitter,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const client = new pg.Client({
    connectionString,
    keepAlive: true,
    application_name: 'berth-listen',
  });
  const lost = Promise.withResolvers<void>();
  const stop = () => lost.resolve();
  client.on('error', lost.reject);
  client.on('end', () => lost.reject(new Error('PostgreSQL closed the connection.')));
  client.on('notification', ({ payload = '' }) => {
    const heard = parseNotification(payload);
    if (heard) emitter.emit(heard.name, heard.payload);
    else log.warn({ payload }, 'A notification that Berth did not send was left alone.');
  });
  try {
    await client.connect();
    await client.query(`listen ${channel}`);
    signal.addEventListener('abort', stop, { once: true });
    if (!signal.aborted) await lost.promise;
  } finally {
    signal.removeEventListener('abort', stop);
    lost.promise.catch(() => undefined); // Ending the client reports its end once more.
    await client.end();
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

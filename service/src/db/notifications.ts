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
}

type Name = keyof Notifications;
const names = new Set<string>([
  'operation_due',
  'operation_superseded',
  'operation_released',
  'operation_finished',
  'image_wanted',
] satisfies Name[]);

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
function parseNotification(text: string): { name: string; payload: { id: number } } | undefined {
  try {
    const { name, payload } = JSON.parse(text);
    return names.has(name) && Number.isSafeInteger(payload?.id) ? { name, payload } : undefined;
  } catch {
    return undefined;
  }
}

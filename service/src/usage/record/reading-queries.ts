import { sql } from 'kysely';
import type { Queryable, Trx } from '../../db/connection.ts';

/** What a node told of one server. */
export interface Figures {
  uuid: string;
  cpuSeconds: number;
  ramMb: number | null;
  /** Bytes since its guest started; null where they are not counted. */
  diskRead: number | null;
  diskWritten: number | null;
}

/** Of one server's card, since the run began. */
export interface CardReading {
  uuid: string;
  /** The name of its interface, a space, and when the run began. */
  run: string;
  startedAt: Date;
  /** Bytes. */
  networkIn: number;
  networkOut: number;
  /** Milliseconds from the beginning of the reading to when the card was read. */
  networkAfter: number;
}

/** When a reading begins: in the order of all rounds and records, and on the clock that replicas share. */
export interface ReadingTime {
  order: number;
  at: Date;
}

/** What was read of some servers, none of which is in two. */
export interface Reading {
  /** From before the counters were read. */
  begun: ReadingTime;
  /** All that run on a node. Undefined of a last reading, which is of a card only. */
  scrape?: { nodeId: number; servers: Figures[] };
  cards: CardReading[];
}

export async function beginReading(db: Queryable): Promise<ReadingTime> {
  const { rows } = await sql<{ order: number; at: string }>`
    select nextval('usage_readings') as order, clock_timestamp() as at`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL gave no order for a reading.');
  return { order: row.order, at: new Date(row.at) };
}

/**
 * Who holds it is the only one who counts for this location, on any replica: a second one would
 * find the difference to the same last counters, and add it again.
 */
export async function lockUsage(trx: Trx, locationId: number): Promise<void> {
  // Each server is looked up once: to remember what was found would only cost.
  await sql`select set_config('enable_memoize', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
    pg_advisory_xact_lock(hashtext('berth usage'), ${locationId}::integer)`.execute(trx);
}

/** The place of what is recorded now among all readings. Needs `lockUsage`. */
export async function nextRecord(trx: Trx): Promise<number> {
  const { rows } = await sql<{ recorded: number }>`
    select nextval('usage_readings') as recorded`.execute(trx);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL gave no order for a record.');
  return row.recorded;
}

import { sql } from 'kysely';
import type { Queryable, Trx } from '../../db/connection.ts';

/** What a node reported for one server. */
export interface ServerUsage {
  uuid: string;
  cpuSeconds: number;
  ramMb: number | null;
  /** Bytes since the guest started; null if they are not counted. */
  diskRead: number | null;
  diskWritten: number | null;
}

/** The traffic of one server's NIC since the run began. */
export interface NicUsage {
  uuid: string;
  /** The name of its interface, a space, and when the run began. */
  run: string;
  startedAt: Date;
  /** Bytes. */
  networkIn: number;
  networkOut: number;
  /** Milliseconds from the beginning of the reading to when the NIC was read. */
  networkAfter: number;
}

/**
 * When a reading began: its number among all readings and records, and the time of the clock that
 * replicas share.
 */
export interface ReadingTime {
  order: number;
  at: Date;
}

/** What was read of some servers. No server is in two readings. */
export interface Reading {
  /** Taken before the counters were read. */
  begun: ReadingTime;
  /** All servers that run on a node. Undefined for a last reading, which has a NIC only. */
  scrape?: { nodeId: number; servers: ServerUsage[] };
  nics: NicUsage[];
}

export async function beginReading(db: Queryable): Promise<ReadingTime> {
  const { rows } = await sql<{ order: number; at: string }>`
    select nextval('usage_readings') as order, clock_timestamp() as at`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL gave no order for a reading.');
  return { order: row.order, at: new Date(row.at) };
}

/**
 * Serialises counting for a location over all replicas: a second process would add the same
 * difference again.
 */
export async function lockUsage(trx: Trx, locationId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('berth usage'), ${locationId}::integer)`.execute(
    trx,
  );
}

/** The number of this record in the sequence of all readings. Needs `lockUsage`. */
export async function nextRecord(trx: Trx): Promise<number> {
  const { rows } = await sql<{ recorded: number }>`
    select nextval('usage_readings') as recorded`.execute(trx);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL gave no order for a record.');
  return row.recorded;
}

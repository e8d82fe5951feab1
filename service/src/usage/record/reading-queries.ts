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

const nextNumber = sql<number>`nextval('usage_readings')`;

export async function beginReading(db: Queryable): Promise<ReadingTime> {
  const { order, at } = await db
    .selectNoFrom([nextNumber.as('order'), sql<string>`clock_timestamp()`.as('at')])
    .executeTakeFirstOrThrow();
  return { order, at: new Date(at) };
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
  const { recorded } = await trx.selectNoFrom(nextNumber.as('recorded')).executeTakeFirstOrThrow();
  return recorded;
}

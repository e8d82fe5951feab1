import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';

/** Functions that PostgreSQL finds before its own ones, and whose time can be set. */
export const movableClock = `
  create schema clock;
  create table clock.moved (time timestamptz not null);
  create function clock.now() returns timestamptz stable language sql
    as 'select coalesce((select time from clock.moved), pg_catalog.now())';
  create function clock.clock_timestamp() returns timestamptz volatile language sql
    as 'select coalesce((select time from clock.moved), pg_catalog.clock_timestamp())';
`;

/**
 * Sets the time of a database with a movable clock; null resets it. Only defaults of columns use
 * PostgreSQL's own clock.
 */
export async function setDatabaseClock(db: Db, time: Date | null): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`delete from clock.moved`.execute(trx);
    await sql`insert into clock.moved select ${time} where ${time}::timestamptz is not null`.execute(
      trx,
    );
  });
}

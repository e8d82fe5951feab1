import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';

/** Enters the last event of a type again, so many times. */
export async function repeatLastEvent(db: Db, type: string, count: number): Promise<void> {
  await sql`
    insert into event_outbox (type, project_id, server_id, data)
    select type, project_id, server_id, data from generate_series(1, ${count}::int), (
      select * from events where type = ${type} order by id desc limit 1
    ) repeated`.execute(db);
}

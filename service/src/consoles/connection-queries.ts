import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';

/** How long a connection counts after it was renewed, so that those of a process that was killed are forgotten. */
const leaseSeconds = 90;
const fromNow = sql<string>`now() + make_interval(secs => ${sql.lit(leaseSeconds)})`;

/** A console whose ticket was used. */
export interface OpenedConsole {
  id: number;
  projectId: number;
  serverId: number;
  /** Of the server. */
  uuid: string;
  locationId: number;
  /** The hashes of the credential: one of them is null. */
  token: Buffer | null;
  session: Buffer | null;
}

/** Uses up a ticket. Undefined if there is none, if it has expired, or if its server was deleted. */
export async function redeemTicket(
  db: Queryable,
  ticketHash: Buffer,
  holder: string,
): Promise<OpenedConsole | undefined> {
  const { rows } = await sql<OpenedConsole>`
    update consoles
    set ticket_sha256 = null, opened_at = clock_timestamp(), held_by = ${holder}, expires_at = ${fromNow}
    from servers
    where ticket_sha256 = ${ticketHash} and expires_at > now()
      and servers.id = consoles.server_id and servers.deleted_at is null
    returning consoles.id, consoles.project_id as "projectId", consoles.server_id as "serverId",
      servers.uuid, servers.location_id as "locationId",
      (select secret_sha256 from tokens where id = consoles.token_id) as token,
      (select secret_sha256 from sessions where id = consoles.session_id) as session`.execute(db);
  return rows[0];
}

/** Returns false if it no longer exists, because its session has ended. */
export async function renewConsole(db: Queryable, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('consoles')
    .set({ expires_at: fromNow })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteConsole(db: Queryable, id: number): Promise<void> {
  await db.deleteFrom('consoles').where('id', '=', id).execute();
}

/** Deletes tickets that were not used, and connections of processes that were killed. */
export async function deleteExpiredConsoles(db: Queryable): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('consoles')
    .where('expires_at', '<=', sql<string>`now()`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** What decides why the console of a server has ended. */
export interface ServerOfConsole {
  isDeleted: boolean;
  /** The process that has opened a console of it last; null if none is open. */
  lastHolder: string | null;
}

export async function serverOfConsole(db: Queryable, serverId: number): Promise<ServerOfConsole> {
  const { rows } = await sql<ServerOfConsole>`
    select deleted_at is not null or status = 'deleting' or exists (
        select from operations
        where server_id = servers.id and kind = 'delete' and finished_at is null
      ) as "isDeleted",
      (select held_by from consoles where server_id = servers.id and opened_at is not null
        order by opened_at desc limit 1) as "lastHolder"
    from servers where id = ${serverId}`.execute(db);
  return rows[0] ?? { isDeleted: true, lastHolder: null };
}

import { type GeneratedAlways, sql } from 'kysely';
import type { Project } from '../db/project.ts';
import type { Timestamp } from '../db/schema/timestamp-schema.ts';

interface ConsolesTable {
  id: GeneratedAlways<number>;
  project_id: number;
  server_id: number;
  /** Whose it is: one of them is null. */
  token_id: number | null;
  session_id: number | null;
  /** Null once it was used. */
  ticket_sha256: Buffer | null;
  /** The process that has the connection. */
  held_by: string | null;
  opened_at: Timestamp | null;
  /** Of the ticket; then of the connection, unless it is renewed. */
  expires_at: Timestamp;
}

declare module '../db/schema/schema.ts' {
  interface Database {
    consoles: ConsolesTable;
  }
}

/** How long a ticket can be used. */
const ticketSeconds = 30;

export interface NewConsole {
  serverId: number;
  ticketHash: Buffer;
  tokenId: number | null;
  sessionId: number | null;
}

/** Returns when the ticket expires. */
export async function insertConsole(project: Project, console: NewConsole): Promise<string> {
  const { serverId, ticketHash, tokenId, sessionId } = console;
  const { expires_at } = await project
    .insert('consoles', {
      server_id: serverId,
      ...{ token_id: tokenId, session_id: sessionId, ticket_sha256: ticketHash },
      expires_at: sql<string>`now() + make_interval(secs => ${sql.lit(ticketSeconds)})`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return expires_at;
}

/** The open consoles of a server, and those whose ticket can still be used. */
export async function countConsoles(project: Project, serverId: number): Promise<number> {
  const { count } = await project
    .select('consoles')
    .select(sql<number>`count(*)`.as('count'))
    .where('server_id', '=', serverId)
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirstOrThrow();
  return count;
}

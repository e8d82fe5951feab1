import { type Kysely, sql } from 'kysely';

/**
 * Consoles of servers: a row is a ticket until it is used, and then a connection, until that ends. See
 * docs/decisions/0028-consoles.md.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table consoles (
      id bigint generated always as identity primary key,
      project_id bigint not null references projects on delete cascade,
      server_id bigint not null references servers on delete cascade,
      -- Whose console it is. One of them.
      token_id bigint references tokens on delete cascade,
      session_id bigint references sessions on delete cascade,
      -- Null once it was used.
      ticket_sha256 bytea unique,
      -- The process that has the connection.
      held_by uuid,
      opened_at timestamptz,
      -- Of the ticket; then of the connection, unless the process that has it renews it.
      expires_at timestamptz not null,
      constraint console_caller check ((token_id is null) <> (session_id is null)),
      constraint console_opened check ((ticket_sha256 is null) = (opened_at is not null)
        and (opened_at is null) = (held_by is null))
    );
    create index consoles_of_server on consoles (server_id);
  `.execute(db);
}

import { type Kysely, sql } from 'kysely';

/** How many initial commands a server had, and how many of them failed, for longer than operations are kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table servers
      add column commands_total integer not null default 0,
      add column commands_failed integer not null default 0;
    update servers set
      commands_total = coalesce((last_create.state ->> 'commands')::integer, 0),
      commands_failed = (
        select count(*) from jsonb_array_elements(last_create.commands) result
        where result ->> 'exit_status' <> '0')
    from (
      select distinct on (server_id) server_id, state, commands from operations
      where kind = 'create' order by server_id, id desc) last_create
    where last_create.server_id = servers.id;
  `.execute(db);
}

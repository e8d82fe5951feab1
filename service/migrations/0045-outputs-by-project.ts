import { type Kysely, sql } from 'kysely';

/**
 * How much of what initial commands printed is kept for a project. What an operation keeps is noted when it
 * ends, as PostgreSQL stores it, which compresses what is longer than 2 kB. Nothing is read here of those that
 * ended before: a job notes them, so that this takes no longer the more they have printed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table projects
      add max_outputs_mib integer default 16 check (max_outputs_mib >= 0);
    -- 0: it keeps none. Null: it goes on, has run no commands, or ended before this.
    alter table operations add output_bytes integer;

    create function note_output() returns trigger language plpgsql as $$
    begin
      new.output_bytes := case
        when new.finished_at is null or new.commands is null then null
        when new.commands = '[]' or new.commands @> '[{"output_expired": true}]' then 0
        -- Of a value that this change leaves as it is: its size in the table, which is not read.
        else pg_column_size(new.commands) end;
      return new;
    end $$;
    create trigger note_output before update of commands, finished_at on operations
      for each row execute function note_output();

    -- The sizes are in it: the table need not be read for their sum.
    create index operations_kept_outputs on operations (project_id, finished_at, id)
      include (output_bytes) where output_bytes > 0;
    create index operations_outputs_to_note on operations (id)
      where output_bytes is null and finished_at is not null and commands is not null;
  `.execute(db);
}

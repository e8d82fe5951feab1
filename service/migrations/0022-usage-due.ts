import { type Kysely, sql } from 'kysely';

/**
 * Which coarser rows of the history are to be made, or made anew: noted in the transaction that writes
 * the finer ones, whenever that is and whatever the clock says.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- An entry for each statement that wrote rows of the span. Nobody waits for another to note one,
    -- and none is taken away that was not there before the rows were read.
    create table usage_due (
      step_seconds integer not null,
      at timestamptz not null
    );
    create index usage_due_in_order on usage_due (step_seconds, at);

    create function note_usage_due() returns trigger language plpgsql as $$
    declare
      step constant integer := tg_argv[0];
    begin
      insert into usage_due (step_seconds, at)
      select distinct step, date_bin(make_interval(secs => step), at, to_timestamp(0))
      from (select distinct at from written) as times;
      return null;
    end $$;
    create trigger note_due after insert on usage_15s
      referencing new table as written
      for each statement execute function note_usage_due(300);
    create trigger note_due after insert on usage_5m
      referencing new table as written
      for each statement execute function note_usage_due(3600);
    create trigger note_due_anew after update on usage_5m
      referencing new table as written
      for each statement execute function note_usage_due(3600);

    -- What was not made yet by the release before.
    insert into usage_due (step_seconds, at)
    select distinct 300, date_bin('5 minutes', at, to_timestamp(0)) from usage_15s
    where at >= (select done_until from usage_rollups where step_seconds = 300)
    union all
    select distinct 3600, date_bin('1 hour', at, to_timestamp(0)) from usage_5m
    where at >= (select done_until from usage_rollups where step_seconds = 3600);
  `.execute(db);
}

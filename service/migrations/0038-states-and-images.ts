import { type Kysely, sql } from 'kysely';

/**
 * Since when each node is in its state, whoever changes it, and which images locations have: so far only
 * those that somebody asked for were entered, and none that a create brought.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table nodes add state_since timestamptz not null default now();
    update nodes set state_since = status_since;

    -- Without what is known of its location: see nodes/queries.ts.
    create function node_state(node nodes) returns text language sql immutable as $$
      select case
        when node.lost then 'lost'
        when node.gone then 'gone'
        when node.status = 'offline' then 'offline'
        when node.evacuated then 'evacuated'
        when node.cordoned then 'cordoned'
        else 'online' end
    $$;
    create function note_node_state() returns trigger language plpgsql as $$
    begin
      if node_state(old) <> node_state(new) then new.state_since = now(); end if;
      return new;
    end $$;
    create trigger note_node_state before update of lost, gone, status, evacuated, cordoned on nodes
      for each row execute function note_node_state();

    insert into images (os_id, location_id, status, progress, message)
    select distinct os_id, location_id, 'ready', 100, 'Servers can be created with it.'
    from servers where deleted_at is null and installed_at is not null
    on conflict do nothing;
  `.execute(db);
}

import { type Kysely, sql } from 'kysely';

/**
 * How many creates may run on a node at once, and a word to all services whenever there may be a place
 * for the next one. A create has left its node's queue once it is ended, or its guest works by itself.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Null: by the node's cores.
    alter table locations
      add column creates_per_node integer check (creates_per_node between 1 and 1000);

    create function tell_of_create_places(node bigint) returns void language sql as $$
      select pg_notify('berth', json_build_object(
        'name', 'create_place_free', 'payload', json_build_object('id', node))::text)
    $$;

    create function create_left_queue() returns trigger language plpgsql as $$
    begin
      perform tell_of_create_places(node_id) from servers where id = new.server_id;
      return null;
    end $$;
    create trigger create_left_queue after update on operations for each row
      when (new.kind = 'create' and old.finished_at is null
        and coalesce(old.state ->> 'has_place', 'true') = 'true'
        and (new.finished_at is not null or new.state ->> 'has_place' = 'false'))
      execute function create_left_queue();

    create function create_places_changed() returns trigger language plpgsql as $$
    begin
      perform tell_of_create_places(id) from nodes where location_id = new.id;
      return null;
    end $$;
    create trigger create_places_changed after update of creates_per_node on locations
      for each row when (new.creates_per_node is distinct from old.creates_per_node)
      execute function create_places_changed();
  `.execute(db);
}

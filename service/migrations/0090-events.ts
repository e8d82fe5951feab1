import { type Kysely, sql } from 'kysely';

/**
 * Events of servers, operations, allowances and nodes. Triggers write them, so that no path can change a row without its
 * event. They are written to `event_outbox`, and then moved to `events`, where they get ids in an order in which none
 * becomes visible after a later one: see docs/decisions/0024-events.md.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table event_outbox (
      id bigint generated always as identity primary key,
      type text not null,
      -- Of what the event is about. Without a foreign key, because that may be deleted first.
      project_id bigint,
      server_id bigint,
      operation_id bigint,
      node_id bigint,
      -- Those of the server at that time.
      labels jsonb not null default '{}',
      data jsonb not null,
      at timestamptz not null default clock_timestamp()
    );
    create table events (
      id bigint generated always as identity primary key,
      type text not null,
      project_id bigint,
      server_id bigint,
      operation_id bigint,
      node_id bigint,
      labels jsonb not null,
      data jsonb not null,
      at timestamptz not null
    );
    create index events_of_project on events (project_id, id);
    create index events_of_server on events (server_id, id) where server_id is not null;
    -- The last event that was removed, as were all before it.
    alter table settings add column events_gone_until bigint not null default 0;
  `.execute(db);
  await eventsOfServers(db);
  await eventsOfOperations(db);
  await eventsOfNodes(db);
}

async function eventsOfServers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function enter_server_event(server servers, word text, more jsonb) returns void language sql as $$
      insert into event_outbox (type, project_id, server_id, labels, data)
      values ('server.' || word, server.project_id, server.id, server.labels,
        jsonb_build_object('server', jsonb_build_object(
          'id', server.id, 'uuid', server.uuid, 'hostname', server.hostname, 'status', server.status,
          'error', server.error, 'location_id', server.location_id, 'is_suspended', server.suspended_at is not null,
          'specifications', jsonb_build_object('cpu', server.cpu, 'ram', server.ram_mb, 'disk', server.disk_gb)
        )) || more)
    $$;

    create function tell_of_server() returns trigger language plpgsql as $$
    declare
      changed text[];
    begin
      if tg_op = 'INSERT' then
        perform enter_server_event(new, 'created', '{}');
        return null;
      end if;
      if new.deleted_at is not null then
        perform enter_server_event(new, 'deleted', '{}');
        return null;
      end if;
      if new.status <> old.status then
        perform enter_server_event(new, case new.status when 'error' then 'failed' else new.status end, '{}');
      end if;
      changed := array_remove(array[
        case when new.hostname <> old.hostname then 'hostname' end,
        case when new.labels <> old.labels then 'labels' end,
        case when new.notes <> old.notes then 'notes' end,
        case when (new.cpu, new.ram_mb, new.disk_gb) <> (old.cpu, old.ram_mb, old.disk_gb) then 'specifications' end,
        case when new.size_id is distinct from old.size_id then 'size' end,
        case when new.node_id <> old.node_id then 'node' end,
        case when new.os_id <> old.os_id then 'os' end,
        case when new.group_name is distinct from old.group_name then 'group' end,
        case when (new.protects_delete, new.protects_rebuild) <> (old.protects_delete, old.protects_rebuild)
          then 'protection' end,
        case when (new.suspended_at, new.suspension_reason) is distinct from (old.suspended_at, old.suspension_reason)
          then 'suspension' end,
        case when new.traffic_allowance is distinct from old.traffic_allowance then 'traffic_allowance' end,
        case when (new.commands_total, new.commands_failed) <> (old.commands_total, old.commands_failed)
          then 'initial_commands' end,
        case when new.ssh_keys <> old.ssh_keys then 'ssh_keys' end,
        case when new.password_login <> old.password_login then 'password_login' end,
        -- The event of a status has its error.
        case when new.status = old.status and new.error is distinct from old.error then 'error' end
      ], null);
      if cardinality(changed) > 0 then
        perform enter_server_event(new, 'updated', jsonb_build_object('changed', changed));
      end if;
      return null;
    end $$;
    create trigger tell_of_new_server after insert on servers for each row execute function tell_of_server();
    create trigger tell_of_server after update on servers for each row
      when (old.deleted_at is null and
        (old.status, old.deleted_at, old.hostname, old.labels, old.notes, old.cpu, old.ram_mb, old.disk_gb,
          old.size_id, old.node_id, old.os_id, old.group_name, old.protects_delete, old.protects_rebuild,
          old.suspended_at, old.suspension_reason, old.traffic_allowance, old.commands_total, old.commands_failed,
          old.ssh_keys, old.password_login, old.error)
        is distinct from
        (new.status, new.deleted_at, new.hostname, new.labels, new.notes, new.cpu, new.ram_mb, new.disk_gb,
          new.size_id, new.node_id, new.os_id, new.group_name, new.protects_delete, new.protects_rebuild,
          new.suspended_at, new.suspension_reason, new.traffic_allowance, new.commands_total, new.commands_failed,
          new.ssh_keys, new.password_login, new.error))
      execute function tell_of_server();

    create function tell_of_allowance() returns trigger language plpgsql as $$
    begin
      insert into event_outbox (type, project_id, server_id, labels, data)
      select 'usage.allowance_reached', project_id, id, labels,
        jsonb_build_object('percent', new.percent, 'allowance', new.allowance, 'month', to_char(new.month, 'YYYY-MM'))
      from servers where id = new.server_id;
      return null;
    end $$;
    create trigger tell_of_allowance after insert on traffic_notices for each row
      execute function tell_of_allowance();
  `.execute(db);
}

/** The first lease begins an operation. Later ones say nothing new: a waiting one is leased again and again. */
async function eventsOfOperations(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_of_operation() returns trigger language plpgsql as $$
    begin
      insert into event_outbox (type, project_id, server_id, operation_id, node_id, labels, data)
      values (
        'operation.' || case when tg_op = 'INSERT' then 'created' when new.finished_at is null then 'progress'
          else 'ended' end,
        new.project_id, new.server_id, new.id, new.node_id,
        coalesce((select labels from servers where id = new.server_id), '{}'),
        jsonb_build_object('operation', jsonb_build_object(
          'id', new.id, 'kind', new.kind, 'server_id', new.server_id, 'node_id', new.node_id, 'status', new.status,
          'progress', new.progress, 'message', new.message,
          'error', case when new.error is not null
            then jsonb_build_object('code', new.error ->> 'code', 'detail', new.error ->> 'message') end)));
      return null;
    end $$;
    create trigger tell_of_new_operation after insert on operations for each row
      execute function tell_of_operation();
    create trigger tell_of_operation after update on operations for each row
      when (old.finished_at is null and (new.finished_at is not null or new.progress <> old.progress
        or new.message <> old.message or (old.fence = 0 and new.status <> old.status)))
      execute function tell_of_operation();
  `.execute(db);
}

/** The state of a node is also that of its location, as nodes/queries.ts has it. */
async function eventsOfNodes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function shown_node_state(node nodes, reachable boolean) returns text language sql immutable as $$
      select case when reachable or node.lost or node.gone then node_state(node) else 'offline' end
    $$;
    create function enter_node_event(node nodes, state text) returns void language sql as $$
      insert into event_outbox (type, node_id, data)
      values ('node.' || state, node.id, jsonb_build_object('node', jsonb_build_object(
        'id', node.id, 'name', node.name, 'location_id', node.location_id, 'status', state)))
    $$;

    create function tell_of_node() returns trigger language plpgsql as $$
    declare
      is_reachable boolean;
      state text;
    begin
      -- Neither this nor tell_of_nodes sees what the other one has not committed yet, so that they wait for each other.
      select reachable into is_reachable from locations where id = new.location_id for share;
      state := shown_node_state(new, is_reachable);
      if tg_op = 'INSERT' or state <> shown_node_state(old, is_reachable) then
        perform enter_node_event(new, state);
      end if;
      return null;
    end $$;
    create trigger tell_of_new_node after insert on nodes for each row execute function tell_of_node();
    create trigger tell_of_node after update of lost, gone, status, evacuated, cordoned on nodes for each row
      when (node_state(old) <> node_state(new)) execute function tell_of_node();

    create function tell_of_nodes() returns trigger language plpgsql as $$
    begin
      perform enter_node_event(node, shown_node_state(node, new.reachable)) from nodes node
      where location_id = new.id
        and shown_node_state(node, new.reachable) <> shown_node_state(node, old.reachable)
      order by id;
      return null;
    end $$;
    create trigger tell_of_nodes after update of reachable on locations for each row
      when (old.reachable <> new.reachable) execute function tell_of_nodes();
  `.execute(db);
}

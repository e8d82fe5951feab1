import { type Kysely, sql } from 'kysely';

/**
 * Operations of nodes, and servers on their way to another node. Room on the node that a server goes to
 * is counted from the request on, as that on the one that it comes from.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table operations
      -- An operation is of a server, and so of its project, or of a node, and of no project.
      alter server_id drop not null,
      alter project_id drop not null,
      add node_id bigint references nodes,
      -- Of a move: the evacuation, or the restore, that it is part of.
      add parent_id bigint references operations,
      add check ((server_id is null) <> (node_id is null)),
      add check ((server_id is null) = (project_id is null));
    create unique index one_unfinished_operation_of_node on operations (node_id)
      where finished_at is null;
    create index operations_of_node on operations (node_id, id) where node_id is not null;
    create index operations_of_parent on operations (parent_id) where parent_id is not null;

    alter table servers
      -- Where it is being moved to; null as soon as somebody has seen where it is.
      add moving_to bigint references nodes check (moving_to <> node_id),
      -- The node whose evacuation took it away, to which a restore brings it back.
      add evacuated_from bigint references nodes;
    create index servers_evacuated on servers (evacuated_from) where evacuated_from is not null;

    create or replace function count_server_on_node() returns trigger language plpgsql as $$
    declare
      before_it integer := case when tg_op <> 'INSERT' and old.deleted_at is null then 1 else 0 end;
      after_it integer := case when tg_op <> 'DELETE' and new.deleted_at is null then 1 else 0 end;
      held record;
    begin
      -- Those alone where something changes, by their ids: none is to wait for another in a circle.
      for held in
        select id, sum(is_on * servers) as servers, sum(servers * cpu) as cpu,
          sum(servers * ram_mb) as ram_mb, sum(servers * disk_gb) as disk_gb
        from (values
          (old.node_id, 1, -before_it, old.cpu, old.ram_mb, old.disk_gb),
          (old.moving_to, 0, -before_it, old.cpu, old.ram_mb, old.disk_gb),
          (new.node_id, 1, after_it, new.cpu, new.ram_mb, new.disk_gb),
          (new.moving_to, 0, after_it, new.cpu, new.ram_mb, new.disk_gb)
        ) as change (id, is_on, servers, cpu, ram_mb, disk_gb)
        where id is not null group by id
        having sum(is_on * servers) <> 0 or sum(servers * cpu) <> 0
          or sum(servers * ram_mb) <> 0 or sum(servers * disk_gb) <> 0
        order by id
      loop
        update nodes set
          servers = nodes.servers + held.servers,
          allocated_cpu = allocated_cpu + held.cpu,
          allocated_ram_mb = allocated_ram_mb + held.ram_mb,
          allocated_disk_gb = allocated_disk_gb + held.disk_gb
        where nodes.id = held.id;
      end loop;
      return null;
    end $$;
    drop trigger count_server_on_node on servers;
    create trigger count_server_on_node after insert or delete
      or update of deleted_at, node_id, moving_to, cpu, ram_mb, disk_gb on servers
      for each row execute function count_server_on_node();
  `.execute(db);
}

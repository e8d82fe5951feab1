import { type Kysely, sql } from 'kysely';

/**
 * What nodes have and hold, what an administrator wants of them, and what decides where a server goes.
 * What a node holds is counted by a trigger, whoever changes a row, so that a create need not count
 * all servers.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table nodes
      -- What the engine says. Of the storage pool, 0 until it was asked.
      add disk_gb integer not null default 0,
      add ram_used_mb integer not null default 0,
      add disk_used_gb double precision not null default 0,
      add incus_version text,
      add failure_domain text not null default 'default',
      add evacuated boolean not null default false,
      -- No longer a member of its cluster; kept for the servers that are or were on it.
      add gone boolean not null default false,
      -- What an administrator wants: no new servers.
      add cordoned boolean not null default false,
      -- What its servers were given together, stopped ones included.
      add servers integer not null default 0,
      add allocated_cpu integer not null default 0,
      add allocated_ram_mb integer not null default 0,
      add allocated_disk_gb integer not null default 0;

    update nodes n set
      servers = held.servers, allocated_cpu = held.cpu, allocated_ram_mb = held.ram_mb,
      allocated_disk_gb = held.disk_gb
    from (
      select node_id, count(*) as servers, sum(cpu) as cpu, sum(ram_mb) as ram_mb,
        sum(disk_gb) as disk_gb
      from servers where deleted_at is null group by node_id
    ) held where held.node_id = n.id;

    create function count_server_on_node() returns trigger language plpgsql as $$
    declare
      before_it integer := case when tg_op <> 'INSERT' and old.deleted_at is null then 1 else 0 end;
      after_it integer := case when tg_op <> 'DELETE' and new.deleted_at is null then 1 else 0 end;
      held record;
    begin
      -- By their ids: two servers that change places are not to wait for each other.
      for held in
        select id, sum(servers) as servers, sum(cpu) as cpu, sum(ram_mb) as ram_mb,
          sum(disk_gb) as disk_gb
        from (values
          (old.node_id, -before_it, -before_it * old.cpu, -before_it * old.ram_mb,
            -before_it * old.disk_gb),
          (new.node_id, after_it, after_it * new.cpu, after_it * new.ram_mb,
            after_it * new.disk_gb)
        ) as change (id, servers, cpu, ram_mb, disk_gb)
        where id is not null group by id order by id
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
    -- Triggers run by their names: a project's row is locked before a node's, here as in a create.
    create trigger count_server_on_node after insert or delete
      or update of deleted_at, node_id, cpu, ram_mb, disk_gb on servers
      for each row execute function count_server_on_node();

    -- How many times what its nodes have may be given to servers.
    alter table locations
      add overcommit_cpu double precision not null default 16 check (overcommit_cpu > 0),
      add overcommit_ram double precision not null default 1 check (overcommit_ram > 0),
      add overcommit_disk double precision not null default 4 check (overcommit_disk > 0);

    -- Servers of a project that are to be apart from each other.
    alter table servers add group_name text;
    create index servers_of_group on servers (project_id, group_name, location_id)
      where deleted_at is null and group_name is not null;

    -- Of a create: why its node, and why not the others.
    alter table operations add placement jsonb;
  `.execute(db);
}

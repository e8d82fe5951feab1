import { type Kysely, sql } from 'kysely';

/**
 * The size that a server is being given. From the request on, its project and the node on which it gets that size hold
 * the larger of both sizes. If it moves for this, the node that it comes from holds the present one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table servers
      -- Null unless it is being resized.
      add resizing_cpu integer,
      add resizing_ram_mb integer,
      add resizing_disk_gb integer;

    create or replace function count_server() returns trigger language plpgsql as $$
    declare
      before_it integer := case when tg_op = 'UPDATE' and old.deleted_at is null then 1 else 0 end;
      after_it integer := case when new.deleted_at is null then 1 else 0 end;
      cpu integer := after_it * greatest(new.cpu, new.resizing_cpu);
      ram_mb integer := after_it * greatest(new.ram_mb, new.resizing_ram_mb);
      disk_gb integer := after_it * greatest(new.disk_gb, new.resizing_disk_gb);
    begin
      if before_it = 1 then
        cpu := cpu - greatest(old.cpu, old.resizing_cpu);
        ram_mb := ram_mb - greatest(old.ram_mb, old.resizing_ram_mb);
        disk_gb := disk_gb - greatest(old.disk_gb, old.resizing_disk_gb);
      end if;
      if after_it = before_it and cpu = 0 and ram_mb = 0 and disk_gb = 0 then
        return null;
      end if;
      update projects set
        used_servers = used_servers + after_it - before_it,
        used_cpu = used_cpu + cpu,
        used_ram_mb = used_ram_mb + ram_mb,
        used_disk_gb = used_disk_gb + disk_gb
      where id = new.project_id;
      return null;
    end $$;
    drop trigger count_changed_server on servers;
    create trigger count_changed_server after update of deleted_at, cpu, ram_mb, disk_gb,
      resizing_cpu, resizing_ram_mb, resizing_disk_gb on servers
      for each row execute function count_server();

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
          (old.node_id, 1, -before_it,
            case when old.moving_to is null then greatest(old.cpu, old.resizing_cpu) else old.cpu end,
            case when old.moving_to is null then greatest(old.ram_mb, old.resizing_ram_mb) else old.ram_mb end,
            case when old.moving_to is null then greatest(old.disk_gb, old.resizing_disk_gb) else old.disk_gb end),
          (old.moving_to, 0, -before_it,
            greatest(old.cpu, old.resizing_cpu),
            greatest(old.ram_mb, old.resizing_ram_mb),
            greatest(old.disk_gb, old.resizing_disk_gb)),
          (new.node_id, 1, after_it,
            case when new.moving_to is null then greatest(new.cpu, new.resizing_cpu) else new.cpu end,
            case when new.moving_to is null then greatest(new.ram_mb, new.resizing_ram_mb) else new.ram_mb end,
            case when new.moving_to is null then greatest(new.disk_gb, new.resizing_disk_gb) else new.disk_gb end),
          (new.moving_to, 0, after_it,
            greatest(new.cpu, new.resizing_cpu),
            greatest(new.ram_mb, new.resizing_ram_mb),
            greatest(new.disk_gb, new.resizing_disk_gb))
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
      or update of deleted_at, node_id, moving_to, cpu, ram_mb, disk_gb,
        resizing_cpu, resizing_ram_mb, resizing_disk_gb on servers
      for each row execute function count_server_on_node();
  `.execute(db);
}

import { type Kysely, sql } from 'kysely';

/**
 * Sizes of servers, with what each has cost since when. A span of a server also has its size, so that a statement finds
 * the price of every hour. Servers that are there have no size.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sizes (
      id bigint generated always as identity primary key,
      name text not null,
      description text not null default '',
      cpu integer not null,
      ram_mb integer not null,
      disk_gb integer not null,
      -- Bytes a month; null stands for that of the location.
      traffic_allowance bigint,
      -- Null for all.
      location_ids integer[],
      deprecated boolean not null default false,
      created_at timestamptz not null default now(),
      deleted_at timestamptz
    );
    create unique index one_size_of_a_name on sizes (lower(name collate "C"))
      where deleted_at is null;

    create table size_prices (
      id bigint generated always as identity primary key,
      size_id bigint not null references sizes (id),
      hourly numeric not null,
      -- The most that a month costs; null for no limit.
      monthly numeric,
      currency text not null,
      from_at timestamptz not null,
      -- Null: it is the price now.
      to_at timestamptz,
      check (to_at >= from_at)
    );
    create unique index one_price_now on size_prices (size_id) where to_at is null;
    create index prices_of_size on size_prices (size_id, from_at);

    alter table servers
      -- Null for a size of its own.
      add size_id bigint references sizes (id),
      -- The one that it is being given; null unless it is being resized to one.
      add resizing_size_id bigint references sizes (id);
    create index servers_of_size on servers (size_id, project_id, id)
      where deleted_at is null and size_id is not null;
    create index servers_resized_to on servers (resizing_size_id)
      where resizing_size_id is not null;
    create statistics servers_by_size_id (mcv) on project_id, size_id from servers;

    alter table projects add sizes_only boolean not null default false;

    alter table server_spans add size_id bigint references sizes (id);
    create or replace function enter_span() returns trigger language plpgsql as $$
    begin
      -- A clock that was set back makes no time run backwards.
      update server_spans set to_at = greatest(from_at, now())
      where server_id = new.id and to_at is null;
      if new.deleted_at is null and new.real_status <> 'not_exists' then
        insert into server_spans
          (server_id, from_at, is_running, cpu, ram_mb, disk_gb, size_id)
        select new.id, greatest(now(), max(to_at)), new.real_status in ('started', 'paused'),
          new.cpu, new.ram_mb, new.disk_gb, new.size_id
        from server_spans where server_id = new.id;
      end if;
      return null;
    end $$;
    drop trigger enter_next_span on servers;
    create trigger enter_next_span
      after update of real_status, cpu, ram_mb, disk_gb, size_id, deleted_at on servers
      for each row when (
        (old.real_status in ('started', 'paused')) <> (new.real_status in ('started', 'paused'))
        or (old.real_status = 'not_exists') <> (new.real_status = 'not_exists')
        or old.cpu <> new.cpu or old.ram_mb <> new.ram_mb or old.disk_gb <> new.disk_gb
        or old.size_id is distinct from new.size_id
        or (old.deleted_at is null) <> (new.deleted_at is null)
      ) execute function enter_span();
    analyze servers;
  `.execute(db);
}

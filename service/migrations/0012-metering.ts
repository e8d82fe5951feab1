import { type Kysely, sql } from 'kysely';

/**
 * Usage as a meter: counters by run of a guest, history in partitions, allowances that act, and
 * when each server existed and ran, of which size.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table locations
      -- Which traffic counts towards the allowance, and what happens at its end.
      add traffic_counted text not null default 'outgoing'
        check (traffic_counted in ('outgoing', 'incoming', 'both')),
      add traffic_policy text not null default 'none'
        check (traffic_policy in ('none', 'throttle', 'stop')),
      -- Mbit/s, each direction.
      add traffic_throttle integer check (traffic_throttle > 0),
      add check (traffic_policy <> 'throttle' or traffic_throttle is not null);

    -- Mbit/s that it is to be held to now; null is without limit. The engine is made to follow.
    alter table servers add traffic_throttle integer;
    create index servers_throttled on servers (location_id) where traffic_throttle is not null;

    -- When the allowance was used up to so many percent: once each a month.
    create table traffic_notices (
      server_id bigint not null references servers,
      month date not null,
      percent smallint not null check (percent in (80, 100)),
      at timestamptz not null,
      primary key (server_id, month, percent)
    );
    create index traffic_months_by_month on traffic_months (month);

    -- The order of readings, which no clock can disturb.
    create sequence usage_readings;

    -- How far each network counter was counted. A run of a guest has counters of its own, from 0.
    create table usage_runs (
      server_id bigint not null references servers,
      run text not null,
      network_in bigint not null,
      network_out bigint not null,
      -- Of usage_readings: a reading that began before this came too late.
      recorded bigint not null,
      read_at timestamptz not null,
      primary key (server_id, run)
    );
    -- What was counted of runs under way at the upgrade; see useSinceThen in usage/queries.ts.
    insert into usage_runs (server_id, run, network_in, network_out, recorded, read_at)
    select server_id, '', network_in, network_out, 0, read_at
    from usage_current join servers on servers.id = server_id
    where real_status in ('started', 'paused');

    alter table usage_current
      drop network_in,
      drop network_out,
      -- Of usage_readings, as in usage_runs.
      add recorded bigint not null default 0,
      add network_read_at timestamptz,
      add disk_read bigint,
      add disk_write bigint;

    -- History. Each row says what passed from "at" on; null where that is not known.
    create table usage_15s (
      server_id bigint not null,
      at timestamptz not null,
      -- Bytes.
      traffic_in bigint,
      traffic_out bigint,
      disk_read bigint,
      disk_write bigint,
      -- Percent, MB, GB: means.
      cpu real,
      ram real,
      disk real,
      -- How many rows of 15 s are in it.
      samples smallint not null,
      primary key (server_id, at)
    ) partition by range (at);
    -- For the roll-ups: rows come in the order of time.
    create index usage_15s_by_time on usage_15s using brin (at) with (autosummarize = on);
    create table usage_5m (like usage_15s including all) partition by range (at);
    create table usage_1h (like usage_15s including all) partition by range (at);

    -- Until when each of them was made from the finer one.
    create table usage_rollups (
      step_seconds integer primary key,
      done_until timestamptz not null
    );
    insert into usage_rollups (step_seconds, done_until)
    select step, to_timestamp(floor(extract(epoch from now()) / step) * step)
    from (values (300), (3600)) as steps (step);

    -- When each server existed, and whether it ran; a new row for each change of state or size.
    create table server_spans (
      id bigint generated always as identity primary key,
      server_id bigint not null references servers,
      from_at timestamptz not null,
      -- Null: it goes on.
      to_at timestamptz,
      is_running boolean not null,
      cpu integer not null,
      ram_mb integer not null,
      disk_gb integer not null,
      check (to_at >= from_at)
    );
    create unique index one_open_span on server_spans (server_id) where to_at is null;
    create index server_spans_of_server on server_spans (server_id, from_at);

    -- For statements: those that existed in a month.
    create index servers_deleted on servers (project_id, deleted_at)
      where deleted_at is not null;

    create function enter_span() returns trigger language plpgsql as $$
    declare
      since timestamptz;
    begin
      -- A clock that was set back makes no time run backwards.
      update server_spans set to_at = greatest(from_at, now())
      where server_id = new.id and to_at is null
      returning to_at into since;
      if new.deleted_at is null then
        insert into server_spans (server_id, from_at, is_running, cpu, ram_mb, disk_gb)
        values (new.id, coalesce(since, now()), new.real_status in ('started', 'paused'),
          new.cpu, new.ram_mb, new.disk_gb);
      end if;
      return null;
    end $$;
    create trigger enter_first_span after insert on servers
      for each row execute function enter_span();
    create trigger enter_next_span
      after update of real_status, cpu, ram_mb, disk_gb, deleted_at on servers
      for each row when (
        (old.real_status in ('started', 'paused')) <> (new.real_status in ('started', 'paused'))
        or old.cpu <> new.cpu or old.ram_mb <> new.ram_mb or old.disk_gb <> new.disk_gb
        or (old.deleted_at is null) <> (new.deleted_at is null)
      ) execute function enter_span();

    -- Of the time before nobody noted when a server ran: it counts as existing.
    insert into server_spans (server_id, from_at, to_at, is_running, cpu, ram_mb, disk_gb)
    select id, created_at, greatest(created_at, coalesce(deleted_at, now())), false,
      cpu, ram_mb, disk_gb
    from servers;
    insert into server_spans (server_id, from_at, is_running, cpu, ram_mb, disk_gb)
    select id, greatest(created_at, now()), real_status in ('started', 'paused'),
      cpu, ram_mb, disk_gb
    from servers where deleted_at is null;
  `.execute(db);
}

import { type Kysely, sql } from 'kysely';

/**
 * Projects with quotas, what tokens may be used from, and the audit log. What a project holds is
 * counted by triggers, whoever changes a row, so that a create need not count all its servers.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table projects
      add description text not null default '',
      -- What its servers may hold together; null is without limit.
      add max_servers integer,
      add max_cpu integer,
      add max_ram_mb integer,
      add max_disk_gb integer,
      add max_addresses integer,
      -- What they hold.
      add used_servers integer not null default 0,
      add used_cpu integer not null default 0,
      add used_ram_mb integer not null default 0,
      add used_disk_gb integer not null default 0,
      add used_addresses integer not null default 0,
      add deleted_at timestamptz,
      drop constraint projects_name_key;
    create unique index one_project_of_a_name on projects (lower(name)) where deleted_at is null;

    update projects p set
      used_servers = held.servers, used_cpu = held.cpu, used_ram_mb = held.ram_mb,
      used_disk_gb = held.disk_gb, used_addresses = held.addresses
    from (
      select project_id, count(*) as servers, sum(cpu) as cpu, sum(ram_mb) as ram_mb,
        sum(disk_gb) as disk_gb,
        sum((select count(*) from addresses a where a.server_id = s.id)) as addresses
      from servers s where deleted_at is null group by project_id
    ) held where held.project_id = p.id;

    create function count_server() returns trigger language plpgsql as $$
    declare
      before_it integer := case when tg_op = 'UPDATE' and old.deleted_at is null then 1 else 0 end;
      after_it integer := case when new.deleted_at is null then 1 else 0 end;
    begin
      update projects set
        used_servers = used_servers + after_it - before_it,
        used_cpu = used_cpu + after_it * new.cpu - before_it * coalesce(old.cpu, 0),
        used_ram_mb = used_ram_mb + after_it * new.ram_mb - before_it * coalesce(old.ram_mb, 0),
        used_disk_gb = used_disk_gb + after_it * new.disk_gb - before_it * coalesce(old.disk_gb, 0)
      where id = new.project_id;
      return null;
    end $$;
    create trigger count_new_server after insert on servers
      for each row execute function count_server();
    create trigger count_changed_server after update of deleted_at, cpu, ram_mb, disk_gb on servers
      for each row execute function count_server();

    create function count_address() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        update projects set used_addresses = used_addresses + 1
        where id = (select project_id from servers where id = new.server_id);
      else
        update projects set used_addresses = used_addresses - 1
        where id = (select project_id from servers where id = old.server_id);
      end if;
      return null;
    end $$;
    create trigger count_address after insert or delete on addresses
      for each row execute function count_address();

    alter table tokens add allowed_networks cidr[] not null default '{}';
    create index tokens_of_project on tokens (project_id, id);

    -- Who asks: a token, or a person who signed in.
    alter table idempotency_keys
      add caller text,
      -- Fields of the answer that nobody is to read here: encrypted.
      add secret bytea;
    update idempotency_keys set caller = 'token:' || token_id;
    alter table idempotency_keys
      drop constraint idempotency_keys_pkey,
      drop column token_id,
      alter caller set not null,
      add primary key (caller, key);

    create table audit_log (
      id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      project_id bigint references projects,
      token_id bigint references tokens,
      address inet not null,
      action text not null,
      target_kind text,
      target_id bigint,
      status integer not null,
      code text,
      request_id text not null
    );
    create index audit_log_of_project on audit_log (project_id, id);

    create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'The audit log is only ever added to.';
    end $$;
    create trigger audit_log_is_append_only before update or delete or truncate on audit_log
      for each statement execute function refuse_change();
  `.execute(db);
}

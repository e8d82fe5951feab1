import { type Kysely, sql } from 'kysely';

/**
 * How long records are kept, and an audit log in partitions by month, which go whole. Its name becomes a
 * view of both the old table and the new one, which services write to and read as before: a job moves the
 * old rows (docs/decisions/0012-retention.md). Nothing here takes longer the more rows there are.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- What administrators set for the installation.
    create table settings (
      only_row boolean primary key default true check (only_row),
      audit_months integer not null default 13 check (audit_months between 1 and 120),
      operations_months integer not null default 13 check (operations_months between 1 and 120),
      outputs_days integer not null default 30 check (outputs_days between 1 and 3650),
      -- The last operation whose output has gone, and that of all before it.
      outputs_gone_until bigint not null default 0
    );
    insert into settings default values;

    alter table audit_log rename to audit_log_before;
    drop trigger audit_log_is_append_only on audit_log_before;

    -- It refers to no table: what it tells of may be gone, and no lock on others is needed for an entry.
    create table audit_entries (
      id bigint not null,
      at timestamptz not null default now(),
      project_id bigint,
      token_id bigint,
      address inet,
      action text not null,
      target_kind text,
      target_id bigint,
      status integer not null,
      code text,
      request_id text,
      user_id bigint,
      source text not null check (source in ('api', 'command_line', 'berth')),
      by_administrator boolean not null,
      details jsonb,
      -- How many refusals it stands for, and when the first and the last of them were.
      count integer not null default 1 check (count > 0),
      first_at timestamptz,
      last_at timestamptz,
      primary key (id, at)
    ) partition by range (at);
    create sequence audit_entries_id_seq owned by audit_entries.id;
    alter table audit_entries alter id set default nextval('audit_entries_id_seq');
    select setval('audit_entries_id_seq', greatest(1, nextval('audit_log_id_seq')));
    create index audit_entries_of_project on audit_entries (project_id, id);
    create index audit_entries_of_user on audit_entries (user_id, id) where user_id is not null;
    create index audit_entries_of_request on audit_entries (request_id);
    -- For whatever time no partition was made: an entry always has a place.
    create table audit_entries_default partition of audit_entries default;
    create trigger audit_entries_are_append_only before update or delete or truncate on audit_entries
      for each statement execute function refuse_change();
    -- One of rows is on each partition, too, whoever makes it.
    create trigger audit_entries_stay before update or delete on audit_entries
      for each row execute function refuse_change();

    create view audit_log as
      select id, at, project_id, token_id, address, action, target_kind, target_id, status, code,
        request_id, user_id, source, by_administrator, details, count, first_at, last_at
      from audit_entries
      union all
      select id, at, project_id, token_id, address, action, target_kind, target_id, status, code,
        request_id, user_id, source, by_administrator, details, 1, null, null
      from audit_log_before;
    alter view audit_log
      alter at set default now(),
      alter count set default 1;

    create function enter_in_audit_log() returns trigger language plpgsql as $$
    begin
      insert into audit_entries (at, project_id, token_id, address, action, target_kind, target_id,
        status, code, request_id, user_id, source, by_administrator, details, count, first_at, last_at)
      values (new.at, new.project_id, new.token_id, new.address, new.action, new.target_kind,
        new.target_id, new.status, new.code, new.request_id, new.user_id, new.source,
        new.by_administrator, new.details, new.count, new.first_at, new.last_at);
      return new;
    end $$;
    create trigger enter_in_audit_log instead of insert on audit_log
      for each row execute function enter_in_audit_log();
    create trigger audit_log_is_append_only instead of update or delete on audit_log
      for each row execute function refuse_change();
  `.execute(db);
}

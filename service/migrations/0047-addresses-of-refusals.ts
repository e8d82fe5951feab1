import { type Kysely, sql } from 'kysely';

/** From how many addresses the refusals came that an audit entry stands for; null: from the one that it has. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table audit_entries add address_count integer check (address_count > 0);

    create or replace view audit_log as
      select id, at, project_id, token_id, address, action, target_kind, target_id, status, code,
        request_id, user_id, source, by_administrator, details, count, first_at, last_at, address_count
      from audit_entries
      union all
      select id, at, project_id, token_id, address, action, target_kind, target_id, status, code,
        request_id, user_id, source, by_administrator, details, 1, null, null, null
      from audit_log_before;

    create or replace function enter_in_audit_log() returns trigger language plpgsql as $$
    begin
      insert into audit_entries (at, project_id, token_id, address, action, target_kind, target_id,
        status, code, request_id, user_id, source, by_administrator, details, count, first_at, last_at,
        address_count)
      values (new.at, new.project_id, new.token_id, new.address, new.action, new.target_kind,
        new.target_id, new.status, new.code, new.request_id, new.user_id, new.source,
        new.by_administrator, new.details, new.count, new.first_at, new.last_at, new.address_count);
      return new;
    end $$;
  `.execute(db);
}

import { type Kysely, sql } from 'kysely';

/**
 * A span begins when the engine has the server's instance, and ends when it no longer has it. Until now it
 * began with the request, so that a create that failed was on statements until the server was deleted.
 *
 * This also corrects the statements of months before: the spans of servers that never existed are removed.
 * The audit log has an entry `statement_correct` for each of these servers, with the hours that its project
 * was shown too much. A server counts as having existed if it was seen to run, or if a create of it got
 * beyond the making of its disk. Servers that did exist keep the time between the request and their
 * instance, since nobody noted when the engine had that.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function enter_span() returns trigger language plpgsql as $$
    begin
      -- A clock that was set back makes no time run backwards.
      update server_spans set to_at = greatest(from_at, now())
      where server_id = new.id and to_at is null;
      if new.deleted_at is null and new.real_status <> 'not_exists' then
        insert into server_spans (server_id, from_at, is_running, cpu, ram_mb, disk_gb)
        select new.id, greatest(now(), max(to_at)), new.real_status in ('started', 'paused'),
          new.cpu, new.ram_mb, new.disk_gb
        from server_spans where server_id = new.id;
      end if;
      return null;
    end $$;
    drop trigger enter_next_span on servers;
    create trigger enter_next_span
      after update of real_status, cpu, ram_mb, disk_gb, deleted_at on servers
      for each row when (
        (old.real_status in ('started', 'paused')) <> (new.real_status in ('started', 'paused'))
        or (old.real_status = 'not_exists') <> (new.real_status = 'not_exists')
        or old.cpu <> new.cpu or old.ram_mb <> new.ram_mb or old.disk_gb <> new.disk_gb
        or (old.deleted_at is null) <> (new.deleted_at is null)
      ) execute function enter_span();

    with never_there as (
      select s.id, s.project_id from servers s
      where s.installed_at is null and s.real_status = 'not_exists'
        and not exists (
          select from server_spans span where span.server_id = s.id and span.is_running
        )
        and not exists (
          select from operations o where o.server_id = s.id and o.kind = 'create' and o.step in
            ('handover', 'start', 'network', 'boot', 'initialise', 'finish')
        )
    ), removed as (
      delete from server_spans span using never_there where span.server_id = never_there.id
      returning span.server_id, never_there.project_id, span.disk_gb, span.from_at,
        coalesce(span.to_at, now()) as to_at
    )
    insert into audit_log
      (project_id, source, by_administrator, action, target_kind, target_id, status, details)
    select project_id, 'berth', false, 'statement_correct', 'server', server_id, 200,
      jsonb_build_object(
        'from', min(from_at), 'to', max(to_at),
        'hours', jsonb_build_object('before', sum(hours), 'after', 0),
        'disk_gb_hours', jsonb_build_object('before', sum(hours * disk_gb), 'after', 0))
    from removed
    cross join lateral (
      select round(extract(epoch from to_at - from_at) / 3600, 6) as hours
    ) as length
    group by project_id, server_id having sum(hours) > 0;

    -- An instance that is gone is not there to be paid for, from now on.
    update server_spans span set to_at = greatest(span.from_at, now())
    from servers s
    where s.id = span.server_id and s.real_status = 'not_exists' and span.to_at is null;
  `.execute(db);
}

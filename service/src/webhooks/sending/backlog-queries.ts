import { sql } from 'kysely';
import { atOnce } from './lease-queries.ts';

/**
 * Deliveries that are due and not attempted: how many, and for how many seconds the oldest has waited. They wait for
 * receivers while their webhook, or their project, has as many attempts under way as it can have; otherwise for the service.
 * An event of which no deliveries have been made yet also waits for the service.
 */
export const webhookBacklog = sql`
  with under_way as (
    select project_id, webhook_id, count(*) as count from webhook_deliveries
    where leased_until > now() group by project_id, webhook_id
  ),
  of_projects as (select project_id, sum(count) as count from under_way group by project_id),
  due as (
    select d.next_attempt_at as since, case
      when coalesce(under_way.count, 0) >= ${sql.lit(atOnce.webhook)}
        or coalesce(of_projects.count, 0) >= ${sql.lit(atOnce.project)} then 'receivers'
      else 'service' end as waits_for
    from webhook_deliveries d
    join webhooks on webhooks.id = d.webhook_id and deleted_at is null
    left join under_way on under_way.webhook_id = d.webhook_id
    left join of_projects on of_projects.project_id = d.project_id
    where d.status = 'pending' and d.next_attempt_at <= now()
      and (d.requested or (enabled and paused_at is null))
  ),
  planned as (
    select at as since from events where id > (select event_id from webhook_progress) order by id limit 1
  )
  select kind as waits_for, (select count(*) from due where waits_for = kind)::float8 as deliveries,
    coalesce(extract(epoch from now() - least(
      (select min(since) from due where waits_for = kind),
      (select since from planned where kind = 'service')
    )), 0)::float8 as oldest_seconds
  from unnest(array['service', 'receivers']) as kind`;

import { sql } from 'kysely';
import type { Queryable } from '../../db/connection.ts';
import type { EventRow } from '../../events/queries.ts';

/** How many deliveries are attempted at the same time for a webhook, and for a project. */
export const atOnce = { webhook: 4, project: 8 };
/** An attempt that has not ended by then is taken as lost. It is much longer than an attempt can take. */
const leaseSeconds = 60;

/**
 * Leases due deliveries, up to `limit`. Projects take turns, and so do the webhooks of a project: whoever has fewer attempts
 * under way comes first, so that receivers that do not answer keep no others waiting. Of a webhook, what somebody asked for
 * comes first.
 */
export async function leaseDeliveries(db: Queryable, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive
    -- The webhooks with pending deliveries, each found by one access to the index.
    waiting as (
      (select webhook_id from webhook_deliveries where status = 'pending' order by webhook_id limit 1)
      union all
      select (
        select later.webhook_id from webhook_deliveries later
        where later.status = 'pending' and later.webhook_id > waiting.webhook_id order by later.webhook_id limit 1
      ) from waiting where waiting.webhook_id is not null
    ),
    under_way as materialized (
      select project_id, webhook_id, count(*) as count from webhook_deliveries
      where leased_until > now() group by project_id, webhook_id
    ),
    of_projects as (select project_id, sum(count) as count from under_way group by project_id),
    receivers as (
      select webhooks.id, webhooks.project_id, enabled and paused_at is null as is_active,
        coalesce(under_way.count, 0) as count, greatest(0, ${sql.lit(atOnce.webhook)} - coalesce(under_way.count, 0)) as room
      from waiting join webhooks on webhooks.id = waiting.webhook_id
        left join under_way on under_way.webhook_id = webhooks.id
      where deleted_at is null
    ),
    due as (
      select found.id, found.next_attempt_at, receivers.project_id, room, count + row_number() over (
        partition by receivers.id order by found.requested desc, found.next_attempt_at, found.id) as turn,
        count
      from receivers cross join lateral (
        (select id, next_attempt_at, true as requested from webhook_deliveries
        where webhook_id = receivers.id and status = 'pending' and requested and next_attempt_at <= now()
        order by next_attempt_at limit room)
        union all
        (select id, next_attempt_at, false from webhook_deliveries
        where is_active and webhook_id = receivers.id and status = 'pending' and not requested
          and next_attempt_at <= now()
        order by next_attempt_at limit room)
      ) as found
    ),
    queued as (
      select id, next_attempt_at, coalesce(of_projects.count, 0)
        + row_number() over (partition by due.project_id order by turn, next_attempt_at, id) as turn
      from due left join of_projects on of_projects.project_id = due.project_id
      where turn - due.count <= room
    ),
    chosen as (
      select id from queued where turn <= ${sql.lit(atOnce.project)}
      order by turn, next_attempt_at, id limit ${limit}
    ),
    locked as (
      select id from webhook_deliveries
      where id in (select id from chosen) and status = 'pending' and next_attempt_at <= now()
      for update skip locked
    )
    update webhook_deliveries set attempts = attempts + 1, attempted_at = now(),
      leased_until = now() + make_interval(secs => ${leaseSeconds}),
      next_attempt_at = now() + make_interval(secs => ${leaseSeconds}),
      duration_ms = null, response_status = null, response_excerpt = null, error_reason = null, error = null
    where id in (select id from locked)
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** A leased delivery, with what is needed to send it. */
export interface Leased {
  id: number;
  projectId: number;
  webhookId: number;
  webhookName: string;
  attempts: number;
  messageId: string;
  createdAt: string;
  isTest: boolean;
  /** Whether another attempt may follow. */
  mayRetry: boolean;
  url: string;
  secrets: Buffer | null;
  withFormer: boolean;
  /** Null for a test, and if it is no longer kept. */
  event: EventRow | null;
}

export async function findLeased(db: Queryable, ids: number[]): Promise<Leased[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<Omit<Leased, 'event'> & EventColumns>`
    select d.id, d.project_id as "projectId", d.webhook_id as "webhookId", w.name as "webhookName", d.attempts,
      d.message_id as "messageId", d.created_at as "createdAt", d.event_id is null as "isTest",
      d.expires_at > now() as "mayRetry", w.url, w.secrets,
      coalesce(w.former_secret_until > now(), false) as "withFormer",
      e.id as "eventId", e.type, e.server_id, e.labels, e.data, e.at
    from webhook_deliveries d join webhooks w on w.id = d.webhook_id left join events e on e.id = d.event_id
    where d.id = any(${ids}::bigint[]) order by d.id`.execute(db);
  return rows.map(({ eventId, type, server_id, labels, data, at, ...leased }) => {
    const project_id = leased.projectId;
    const event =
      eventId === null ? null : { id: eventId, type, project_id, server_id, labels, data, at };
    return { ...leased, event };
  });
}

interface EventColumns extends Omit<EventRow, 'id' | 'project_id'> {
  eventId: number | null;
}

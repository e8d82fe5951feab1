import { pauseDays } from '@berth/contract/webhooks';
import { sql } from 'kysely';
import type { Queryable } from '../../db/connection.ts';
import type { Leased } from './lease-queries.ts';
import type { Outcome } from './send.ts';

/** Records the end of a lease whose attempt did not end, so that any service begins another one now. */
export async function releaseDelivery(db: Queryable, { id, attempts }: Leased): Promise<void> {
  await sql`
    update webhook_deliveries set next_attempt_at = now(), leased_until = null
    where id = ${id} and attempts = ${attempts} and status = 'pending'`.execute(db);
}

/**
 * The receiver has it, whoever attempts it now. The time of the last success is accurate to a minute. A test says nothing of
 * the events, so it is none.
 */
export async function recordDelivered(
  db: Queryable,
  { id, webhookId, isTest }: Leased,
  { durationMs, status, excerpt }: Outcome,
): Promise<void> {
  await sql`
    with ended as (
      update webhook_deliveries set status = 'delivered', next_attempt_at = null, leased_until = null,
        duration_ms = ${durationMs}, response_status = ${status}, response_excerpt = ${excerpt},
        error_reason = null, error = null
      where id = ${id}
    )
    update webhooks set failing_since = null, last_success_at = now()
    where id = ${webhookId} and not ${isTest}::boolean and (failing_since is not null or last_success_at is null
      or last_success_at < now() - interval '1 minute')`.execute(db);
}

/**
 * Records a failed attempt: the next one is after so many seconds, or at the end of the retries. Without `pauseSeconds`
 * there is none. Does nothing if another service has the delivery by now, and returns false.
 */
export async function recordFailure(
  db: Queryable,
  { id, attempts }: Leased,
  { durationMs, status, excerpt, failure }: Outcome,
  pauseSeconds: number | undefined,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set leased_until = null, duration_ms = ${durationMs},
      response_status = ${status}, response_excerpt = ${excerpt},
      error_reason = ${failure?.reason}, error = ${failure?.detail},
      status = case when ${pauseSeconds === undefined} then 'failed' else 'pending' end,
      next_attempt_at = case when ${pauseSeconds === undefined} then null
        else least(now() + make_interval(secs => ${pauseSeconds ?? 0}), expires_at) end
    where id = ${id} and attempts = ${attempts} and status = 'pending'`.execute(db);
  return numAffectedRows === 1n;
}

/**
 * Notes that a webhook fails, and pauses it if its receiver is gone, or if no attempt has succeeded for days when the retries of
 * a delivery end: the first attempt after a quiet week must not pause it. Returns why and since when it has failed if this has
 * paused it.
 */
export async function noteFailure(
  db: Queryable,
  webhookId: number,
  { isGone, isFinal }: { isGone: boolean; isFinal: boolean },
): Promise<{ because: 'failing' | 'gone'; since: string } | undefined> {
  const isDue = sql`(${isGone} or (${isFinal} and coalesce(failing_since <= now() - make_interval(days => ${pauseDays}), false)))`;
  const { rows } = await sql<{ because: 'failing' | 'gone' | null; since: string }>`
    update webhooks set failing_since = coalesce(failing_since, now()),
      paused_at = case when ${isDue} then now() end,
      paused_because = case when ${isDue} then case when ${isGone} then 'gone' else 'failing' end end
    where id = ${webhookId} and enabled and paused_at is null and deleted_at is null
      and (failing_since is null or ${isDue})
    returning paused_because as because, failing_since as since`.execute(db);
  const [row] = rows;
  return row?.because ? { because: row.because, since: row.since } : undefined;
}

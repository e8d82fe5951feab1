import { retryHours } from '@berth/contract/webhook-deliveries';
import { sql } from 'kysely';
import type { Trx } from '../../db/connection.ts';

/** A webhook that gets events. */
export interface Subscriber {
  id: number;
  project_id: number;
  types: string[];
  label_selector: string;
}

/**
 * The last event that became deliveries. The row is locked until the transaction ends; undefined while another service
 * has it.
 */
export async function lockProgress(trx: Trx): Promise<number | undefined> {
  const { rows } = await sql<{ event_id: number }>`
    select event_id from webhook_progress for update skip locked`.execute(trx);
  return rows[0]?.event_id;
}

export async function setProgress(trx: Trx, eventId: number): Promise<void> {
  await sql`update webhook_progress set event_id = ${eventId}`.execute(trx);
}

export async function findSubscribers(trx: Trx, projectIds: number[]): Promise<Subscriber[]> {
  const { rows } = await sql<Subscriber>`
    select id, project_id, types, label_selector from webhooks
    where project_id = any(${projectIds}::bigint[]) and enabled and paused_at is null and deleted_at is null`.execute(
    trx,
  );
  return rows;
}

export interface Planned {
  project_id: number;
  webhook_id: number;
  event_id: number;
  type: string;
  message_id: string;
}

export async function insertDeliveries(trx: Trx, planned: Planned[]): Promise<void> {
  await sql`
    insert into webhook_deliveries (project_id, webhook_id, event_id, type, message_id, expires_at)
    select project_id, webhook_id, event_id, type, message_id, now() + make_interval(hours => ${retryHours})
    from jsonb_to_recordset(${JSON.stringify(planned)}::jsonb)
      as planned (project_id bigint, webhook_id bigint, event_id bigint, type text, message_id text)`.execute(
    trx,
  );
}

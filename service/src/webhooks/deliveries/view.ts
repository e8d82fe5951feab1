import type { EventType } from '@berth/contract/events';
import type { WebhookDelivery } from '@berth/contract/webhook-deliveries';
import type { DeliveryRow } from './queries.ts';

/** A delivery as the API shows it. */
export function deliveryView(row: DeliveryRow): WebhookDelivery {
  const { error_reason: reason, error: detail } = row;
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    message_id: row.message_id,
    event_id: row.event_id,
    type: row.type as EventType,
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: row.next_attempt_at,
    attempted_at: row.attempted_at,
    duration_ms: row.duration_ms,
    response_status: row.response_status,
    response_excerpt: row.response_excerpt,
    error: reason === null || detail === null ? null : { reason, detail },
    redelivery_of: row.redelivery_of,
    created_at: row.created_at,
  };
}

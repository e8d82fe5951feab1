import type { DeliveryError } from '@berth/contract/webhook-deliveries';
import { type Generated, type GeneratedAlways, type Selectable, sql } from 'kysely';
import { hasAnyOf } from '../../db/filters.ts';
import { type Listing, listing } from '../../db/listing.ts';
import type { Project } from '../../db/project.ts';
import type { Timestamp } from '../../db/schema/timestamp-schema.ts';

interface WebhookDeliveriesTable {
  id: GeneratedAlways<number>;
  project_id: number;
  webhook_id: number;
  /** Null for a test. */
  event_id: number | null;
  type: string;
  message_id: string;
  status: Generated<'pending' | 'delivered' | 'failed'>;
  requested: Generated<boolean>;
  redelivery_of: number | null;
  attempts: Generated<number>;
  created_at: Timestamp;
  expires_at: Timestamp;
  next_attempt_at: Timestamp | null;
  leased_until: Timestamp | null;
  attempted_at: Timestamp | null;
  duration_ms: number | null;
  response_status: number | null;
  response_excerpt: string | null;
  error_reason: DeliveryError | null;
  error: string | null;
}

declare module '../../db/schema/schema.ts' {
  interface Database {
    webhook_deliveries: WebhookDeliveriesTable;
  }
}

const deliveryColumns = [
  ...(['id', 'webhook_id', 'message_id', 'event_id', 'type', 'status', 'attempts'] as const),
  ...(['next_attempt_at', 'attempted_at', 'duration_ms', 'response_status'] as const),
  ...(['response_excerpt', 'error_reason', 'error', 'redelivery_of', 'created_at'] as const),
] as const;
export type DeliveryRow = Pick<
  Selectable<WebhookDeliveriesTable>,
  (typeof deliveryColumns)[number]
>;

interface DeliveryFilters {
  status?: DeliveryRow['status'][] | undefined;
  event_id?: number[] | undefined;
}

/** Ordered by id. */
export function listDeliveries(
  project: Project,
  webhookId: number,
  { status, event_id }: DeliveryFilters,
  descending: boolean,
): Listing<DeliveryRow> {
  const query = project
    .select('webhook_deliveries')
    .select([...deliveryColumns])
    .where('webhook_id', '=', webhookId)
    .where(hasAnyOf({ status, event_id }));
  return listing(query, { id: 'id', descending });
}

export async function findDelivery(
  project: Project,
  webhookId: number,
  id: number,
): Promise<DeliveryRow | undefined> {
  return await project
    .select('webhook_deliveries')
    .select([...deliveryColumns])
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export interface NewDelivery {
  webhook_id: number;
  event_id: number | null;
  type: string;
  message_id: string;
  redelivery_of?: number;
}

/** Inserts a delivery that somebody asked for. `hours` is how long it is retried. */
export async function insertRequestedDelivery(
  project: Project,
  values: NewDelivery,
  hours: number,
): Promise<DeliveryRow> {
  const expires_at = sql<string>`now() + make_interval(hours => ${hours})`;
  return await project
    .insert('webhook_deliveries', { ...values, requested: true, expires_at })
    .returning([...deliveryColumns])
    .executeTakeFirstOrThrow();
}

/** Has a pending delivery attempted now, unless it is being attempted. */
export async function hastenDelivery(project: Project, id: number): Promise<void> {
  await project
    .update('webhook_deliveries')
    .set({ requested: true, next_attempt_at: sql<string>`least(next_attempt_at, now())` })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where(sql<boolean>`(leased_until is null or leased_until <= now())`)
    .execute();
}

export async function isEventKept(project: Project, id: number): Promise<boolean> {
  const query = project.select('events').select('id').where('id', '=', id);
  return (await query.executeTakeFirst()) !== undefined;
}

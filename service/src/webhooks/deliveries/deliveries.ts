import { retryHours, testType } from '@berth/contract/webhook-deliveries';
import type { Project } from '../../db/project.ts';
import { Problem } from '../../problems/problem.ts';
import { requireWebhook } from '../webhooks.ts';
import {
  type DeliveryRow,
  findDelivery,
  hastenDelivery,
  insertRequestedDelivery,
  isEventKept,
} from './queries.ts';

/** Requests a test event for a webhook, which is attempted once, whatever the state of the webhook. */
export async function testWebhook(project: Project, id: number): Promise<DeliveryRow> {
  await requireWebhook(project, id);
  const delivery = {
    webhook_id: id,
    event_id: null,
    type: testType,
    message_id: `test_${crypto.randomUUID()}`,
  };
  return await insertRequestedDelivery(project, delivery, 0);
}

export async function requireDelivery(
  project: Project,
  webhookId: number,
  id: number,
): Promise<DeliveryRow> {
  await requireWebhook(project, webhookId);
  const row = await findDelivery(project, webhookId, id);
  if (row) return row;
  const detail = `The webhook ${webhookId} has no delivery with the id ${id}.`;
  throw new Problem('webhook_delivery_not_found', detail);
}

/**
 * Sends an event again, as a new delivery with the same message id. One that is pending is attempted now instead. Throws
 * `events_gone` (410) if the event is no longer kept.
 */
export async function redeliver(
  project: Project,
  webhookId: number,
  id: number,
): Promise<DeliveryRow> {
  const { status, event_id, type, message_id } = await requireDelivery(project, webhookId, id);
  if (status === 'pending') {
    await hastenDelivery(project, id);
    return await requireDelivery(project, webhookId, id);
  }
  if (event_id === null) return await testWebhook(project, webhookId);
  if (!(await isEventKept(project, event_id))) {
    throw new Problem('events_gone', `The event ${event_id} is no longer kept.`);
  }
  const delivery = { webhook_id: webhookId, event_id, type, message_id, redelivery_of: id };
  return await insertRequestedDelivery(project, delivery, retryHours);
}

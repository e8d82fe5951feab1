import { columnsOf, referring } from '../output/columns.ts';
import { age, milliseconds, moment } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';

export const webhookColumns = columnsOf<Schemas['Webhook']>(
  {
    id: (webhook) => webhook.id,
    name: (webhook) => webhook.name,
    status: {
      of: (webhook) => webhook.status,
      text: ({ status, paused_because: because }) => (because ? `${status} (${because})` : status),
    },
    url: (webhook) => webhook.url,
    types: {
      of: (webhook) => webhook.types,
      text: ({ types }) => (types.length === 0 ? 'all' : types.join('\n')),
    },
    label_selector: (webhook) => webhook.label_selector,
    header_names: (webhook) => webhook.header_names,
    failing_since: {
      of: (webhook) => webhook.failing_since,
      text: ({ failing_since: since }) => (since === null ? '-' : moment(since)),
    },
    last_success: {
      of: (webhook) => webhook.last_success_at,
      text: ({ last_success_at: at }) => (at === null ? 'never' : `${age(at)} ago`),
    },
    former_secret_until: {
      of: (webhook) => webhook.former_secret_valid_until,
      text: ({ former_secret_valid_until: until }) => (until === null ? '-' : moment(until)),
    },
    project_id: referring('project', (webhook) => webhook.project_id),
    created_at: {
      of: (webhook) => webhook.created_at,
      text: ({ created_at }) => moment(created_at),
    },
  },
  ['id', 'name', 'status', 'url', 'last_success'],
  ({ name }) => name,
);

export const deliveryColumns = columnsOf<Schemas['WebhookDelivery']>(
  {
    id: (delivery) => delivery.id,
    type: (delivery) => delivery.type,
    event_id: (delivery) => delivery.event_id,
    message_id: (delivery) => delivery.message_id,
    status: (delivery) => delivery.status,
    attempts: (delivery) => delivery.attempts,
    response: (delivery) => delivery.response_status,
    duration: {
      of: (delivery) => delivery.duration_ms,
      text: ({ duration_ms: ms }) => (ms === null ? '-' : milliseconds(ms)),
    },
    error: {
      of: (delivery) => delivery.error?.reason ?? null,
      text: ({ error }) => error?.detail ?? '-',
    },
    response_excerpt: (delivery) => delivery.response_excerpt,
    next_attempt: {
      of: (delivery) => delivery.next_attempt_at,
      text: ({ next_attempt_at: at }) => (at === null ? '-' : moment(at)),
    },
    redelivery_of: (delivery) => delivery.redelivery_of,
    created_at: {
      of: (delivery) => delivery.created_at,
      text: ({ created_at }) => moment(created_at),
    },
    age: { of: (delivery) => delivery.created_at, text: ({ created_at }) => age(created_at) },
  },
  ['id', 'type', 'event_id', 'status', 'attempts', 'response', 'error', 'age'],
  ({ id }) => String(id),
);

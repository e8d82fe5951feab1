import { type Static, Type } from 'typebox';
import type { EventType } from './events.ts';
import { AnyOf } from './filters.ts';
import { pageParameters, sortParameter } from './pagination.ts';
import { PathParams } from './references.ts';
import { Closed, Id, maxId, Nullable, Timestamp, Word } from './values.ts';
import { webhookTypes } from './webhooks.ts';

/** For how long a delivery is retried. */
export const retryHours = 24;
/** For how long deliveries are kept. */
export const deliveryDays = 30;
/** The bytes of a response that are kept. */
export const excerptBytes = 1024;

/** The type of the event of a test, which is no event of the project. */
export const testType = 'webhook.test';

const statuses = ['pending', 'delivered', 'failed'] as const;

/** Why the last attempt has failed. */
export const deliveryErrors = [
  'address_refused',
  'name_unresolvable',
  'connection_failed',
  'tls_failed',
  'timeout',
  'redirect',
  'bad_status',
  'event_gone',
  'secrets_unreadable',
] as const;
export type DeliveryError = (typeof deliveryErrors)[number];

const deliveryTypes = [...webhookTypes, testType] as [EventType | typeof testType];

export const WebhookDelivery = Type.Object(
  {
    id: Id('the delivery', 312),
    webhook_id: Id('the webhook', 4),
    message_id: Type.String({
      description:
        'The header `webhook-id`. It is the same for all attempts and redeliveries of an event, so that receivers can ' +
        'recognise what they already have.',
      examples: ['event_1024_1763699570120'],
    }),
    event_id: Nullable(
      Type.Integer({ description: 'The ID of the event. Null for a test.', examples: [1024] }),
    ),
    type: Word(deliveryTypes, {
      description: `The type of the event, or \`${testType}\` for a test.`,
      examples: ['server.started'],
    }),
    status: Word([...statuses], {
      description:
        `The state of the delivery. \`pending\`: it is attempted, or will be. \`delivered\`: the receiver has responded with ` +
        `a status from 200 to 299. \`failed\`: it did not within ${retryHours} hours, or at the only attempt of a test.`,
      examples: ['delivered'],
    }),
    attempts: Type.Integer({ description: 'The number of attempts that began.', examples: [1] }),
    next_attempt_at: Nullable(
      Timestamp(
        'The time of the next attempt. While an attempt is under way, it is when it would be taken as lost. Null unless the ' +
          'delivery is pending.',
      ),
    ),
    attempted_at: Nullable(
      Timestamp('The time at which the last attempt began. Null if there was none.'),
    ),
    duration_ms: Nullable(
      Type.Integer({
        description:
          'How long the last attempt took, in milliseconds. Null if it has not ended, or if there was none.',
        examples: [120],
      }),
    ),
    response_status: Nullable(
      Type.Integer({
        description:
          'The HTTP status code of the response to the last attempt. Null if there was no response.',
        examples: [200],
      }),
    ),
    response_excerpt: Nullable(
      Type.String({
        description: `The first ${excerptBytes} bytes of the response to the last attempt, as text. Null if there was no response.`,
        examples: ['ok'],
      }),
    ),
    error: Nullable(
      Type.Object(
        {
          reason: Word([...deliveryErrors], {
            description: 'Why the attempt failed, for programs.',
            examples: ['bad_status'],
          }),
          detail: Type.String({
            description: 'Why the attempt failed, as human-readable text.',
            examples: ['The receiver responded with the status 500.'],
          }),
        },
        {
          description:
            'Why the last attempt failed. Null if it succeeded, has not ended, or if there was none.',
        },
      ),
    ),
    redelivery_of: Nullable(
      Type.Integer({
        description:
          'The ID of the delivery that this one repeats on request. Null if it is no redelivery.',
        examples: [311],
      }),
    ),
    created_at: Timestamp('The time at which the delivery was recorded.'),
  },
  {
    title: 'WebhookDelivery',
    description: 'An event that is sent to a webhook, or a test, with its last attempt.',
  },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const DeliveryQuery = Closed({
  ...pageParameters,
  sort: sortParameter(['id']),
  status: AnyOf(
    Word([...statuses], {
      description: 'Return only deliveries in this state.',
      examples: ['failed'],
    }),
  ),
  event_id: AnyOf(
    Type.Integer({
      minimum: 1,
      maximum: maxId,
      description: 'Return only deliveries of this event, by its ID.',
      examples: [1024],
      explain: 'Must be the ID of an event.',
    }),
  ),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

export const DeliveryParams = PathParams({ id: 'webhook', delivery_id: 'webhook_delivery' });

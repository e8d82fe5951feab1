import { type Static, Type } from 'typebox';
import { type EventType, eventTypes } from './events.ts';
import { AnyOf, NamePrefix } from './filters.ts';
import { pageParameters, sortParameter } from './pagination.ts';
import { PathParams } from './references.ts';
import { Name, notAnId } from './text.ts';
import { Closed, Id, maxId, Nullable, Timestamp, Word } from './values.ts';

export const mostUrlCharacters = 2048;
export const mostHeaders = 10;
const mostHeaderCharacters = 1024;
export const mostSelectorCharacters = 1024;
/** For how long a delivery is retried. */
export const retryHours = 24;
/** For how long deliveries are kept. */
export const deliveryDays = 30;
/** After how long without a success a webhook is paused. */
export const pauseDays = 3;
/** The bytes of a response that are kept. */
export const excerptBytes = 1024;

/** The type of the event of a test, which is no event of the project. */
export const testType = 'webhook.test';

/** The types of events that belong to a project. */
export const webhookTypes = eventTypes.filter((type) => !type.startsWith('node.'));

const url = 'https://hooks.example.com/berth';
const selector = 'env=prod';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const shown = {
  id: Id('the webhook', 4),
  name: Type.String({ description: 'The name of the webhook.', examples: ['deploy-bot'] }),
  url: Type.String({ description: 'The URL to which events are sent.', examples: [url] }),
  types: Type.Array(
    Word([...webhookTypes], { description: 'A type of events.', examples: ['server.started'] }),
    {
      description:
        'The types of the events that are delivered. If the list is empty, events of all types are, including types that ' +
        'later releases add.',
    },
  ),
  label_selector: Type.String({
    description:
      'Only events of servers whose labels at that time satisfy this selector are delivered. If it is empty, all are.',
    examples: [selector],
  }),
  header_names: Type.Array(
    Type.String({ description: 'The name of a header.', examples: ['authorization'] }),
    { description: 'The names of the further headers of each delivery, whose values are secret.' },
  ),
  enabled: Type.Boolean({ description: 'Whether events are to be delivered.' }),
  status: Word(['active', 'disabled', 'paused'], {
    description:
      'The state of the webhook. `active`: events are delivered. `disabled`: `enabled` is `false`. `paused`: Berth has stopped ' +
      'delivering, and `paused_because` says why; `PATCH` with `enabled` as `true` resumes it. Events that happen while it is ' +
      'not active are not delivered, also not later.',
    examples: ['active'],
  }),
  paused_because: Nullable(
    Word(['failing', 'gone'], {
      description:
        `Why the webhook was paused. \`failing\`: for ${pauseDays} days, no attempt succeeded. \`gone\`: the receiver has ` +
        'responded with 410, which says that it is gone for good. Null unless it is paused.',
      examples: ['failing'],
    }),
  ),
  paused_at: Nullable(
    Timestamp('The time at which the webhook was paused. Null unless it is paused.'),
  ),
  failing_since: Nullable(
    Timestamp(
      'The time of the first failed attempt since the last success. Null if the last attempt succeeded, or if there was none.',
    ),
  ),
  last_success_at: Nullable(
    Timestamp('The time of the last successful attempt. Null if there was none.'),
  ),
  former_secret_valid_until: Nullable(
    Timestamp(
      'Until when deliveries are also signed with the former secret. Null if there is no such secret.',
    ),
  ),
  project_id: Id('the project that the webhook belongs to', 1),
  created_at: Timestamp('The time at which the webhook was created.'),
};

export const Webhook = Type.Object(shown, {
  title: 'Webhook',
  description:
    'A URL to which the events of a project are sent as they happen, signed as Standard Webhooks specifies.',
});
export type Webhook = Static<typeof Webhook>;

export const NewWebhookSecret = Type.Object(
  {
    ...shown,
    secret: Type.String({
      description:
        'The secret with which deliveries are signed, in the form of Standard Webhooks. No other response contains it.',
      examples: [secret],
    }),
  },
  { title: 'NewWebhookSecret', description: 'The webhook with its new secret.' },
);
export type NewWebhookSecret = Static<typeof NewWebhookSecret>;

const headerName = {
  type: 'string',
  maxLength: 64,
  pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
  explain: 'The name of a header must be 1 to 64 characters of a token of RFC 9110.',
};
const headerValue = {
  type: 'string',
  minLength: 1,
  maxLength: mostHeaderCharacters,
  pattern: '^[\\u0021-\\u007e](?:[\\u0020-\\u007e]*[\\u0021-\\u007e])?$',
  description: 'The value of the header.',
  examples: ['Bearer 5f2a'],
  explain: `The value of a header must be 1 to ${mostHeaderCharacters} characters of ASCII, without spaces at its ends.`,
};

const aboutHeaders =
  `Up to ${mostHeaders} further headers of each delivery: values by names, such as \`Authorization\`. They are stored ` +
  'encrypted, and no response contains the values. Headers that belong to HTTP or to the signature cannot be set.';

function Headers(description: string) {
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: mostHeaders,
    propertyNames: headerName,
    additionalProperties: headerValue,
    description,
    examples: [{ authorization: 'Bearer 5f2a' }],
    explain: `Must be an object of at most ${mostHeaders} headers.`,
  });
}

const fields = {
  name: Name({
    description: `The name of the webhook. It must be unique in the project; the comparison ignores case. ${notAnId}`,
    examples: ['deploy-bot'],
  }),
  url: Type.String({
    minLength: 1,
    maxLength: mostUrlCharacters,
    description:
      `The URL to which events are sent: \`https\`, without user name, password and fragment, of at most ${mostUrlCharacters} ` +
      'characters, on port 443 or from 1024 on. It cannot be on an address that is private, or of this installation, which ' +
      'is checked again for each delivery.',
    examples: [url],
    explain: `Must be an https URL of at most ${mostUrlCharacters} characters, such as ${url}.`,
  }),
  types: Type.Array(
    Word([...webhookTypes], { description: 'A type of events.', examples: ['server.started'] }),
    {
      maxItems: webhookTypes.length,
      uniqueItems: true,
      description:
        'The types of the events to deliver. By default, and if the list is empty, events of all types are delivered.',
      examples: [['server.started', 'server.stopped']],
      explain: 'Must be an array of types of events, each once.',
    },
  ),
  label_selector: Type.String({
    maxLength: mostSelectorCharacters,
    description:
      'Deliver only events of servers whose labels at that time satisfy this selector. By default it is empty, and selects ' +
      'all events.',
    examples: [selector],
    explain: `Must be a selector of at most ${mostSelectorCharacters} characters, such as env=prod.`,
  }),
  headers: Headers(aboutHeaders),
  enabled: Type.Boolean({
    description: 'Whether to deliver events. The default is `true`.',
    explain: 'Must be true or false.',
  }),
};

const { name, url: target, ...optional } = fields;

export const WebhookCreate = Closed(
  {
    name,
    url: target,
    types: Type.Optional(optional.types),
    label_selector: Type.Optional(optional.label_selector),
    headers: Type.Optional(optional.headers),
    enabled: Type.Optional(optional.enabled),
  },
  { title: 'WebhookCreate', description: 'The webhook to create.' },
);
export type WebhookCreate = Static<typeof WebhookCreate>;

export const WebhookUpdate = Closed(
  {
    name: Type.Optional(name),
    url: Type.Optional(target),
    types: Type.Optional(optional.types),
    label_selector: Type.Optional(optional.label_selector),
    headers: Type.Optional(Headers(`${aboutHeaders} They replace all previous ones.`)),
    enabled: Type.Optional({
      ...optional.enabled,
      description:
        'Whether to deliver events. `true` also resumes a paused webhook, and its pending deliveries are attempted again.',
    }),
  },
  { title: 'WebhookUpdate', description: 'The fields to change.' },
);
export type WebhookUpdate = Static<typeof WebhookUpdate>;

const usualHours = 24;
const mostHours = 7 * 24;

export const SecretRotation = Closed(
  {
    keep_former_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: mostHours,
        description:
          `For how many hours deliveries are also signed with the former secret, up to ${mostHours}. The default is ` +
          `${usualHours}. Use 0 if it has become known to others. A secret before the former one is no longer used.`,
        examples: [usualHours],
        explain: `Must be an integer from 0 to ${mostHours}.`,
      }),
    ),
  },
  {
    title: 'SecretRotation',
    description: 'How long the former secret stays in use.',
    optionalBody: true,
  },
);
export type SecretRotation = Static<typeof SecretRotation>;
export const usualFormerHours = usualHours;

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

export const WebhookQuery = Closed({ ...pageParameters, q: NamePrefix('webhooks', 'name') });

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

import { type Static, Type } from 'typebox';
import { eventTypes } from './events.ts';
import { NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Name, notAnId } from './text.ts';
import { Closed, Id, Nullable, Timestamp, Word } from './values.ts';

export const mostUrlCharacters = 2048;
export const mostHeaders = 10;
const mostHeaderCharacters = 1024;
export const mostSelectorCharacters = 1024;
/** After how long without a success a webhook is paused. */
export const pauseDays = 3;
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
      'characters, on port 443 or 80, or from 1024 on. It cannot be on an address that is private, or of this installation, which ' +
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

export const WebhookQuery = Closed({ ...pageParameters, q: NamePrefix('webhooks', 'name') });

import { items } from '@berth/client';
import type { Schemas } from '../schemas.ts';
import { changesOf, changeVerb } from '../verbs/change.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { collected, defined, pairs, whole, yesOrNo } from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';
import { webhookColumns as columns } from './columns.ts';
import { deliveries, delivery, redeliver, test } from './deliveries.ts';

type Type = Schemas['Webhook']['types'][number];

const list = listVerb({
  summary: 'List webhooks',
  columns,
  options: (command) =>
    command.option('--search <text>', 'only those whose name begins with this text'),
  rows: (berth, { search, pageSize }) =>
    items(berth, '/v1/webhooks', { params: { query: defined({ q: search, limit: pageSize }) } }),
});

const show = showVerb({
  summary: 'Show a webhook, without its secret',
  argument: '<webhook>',
  columns,
  get: (berth, id) => berth.GET('/v1/webhooks/{id}', { params: { path: { id } } }),
});

const create = changeVerb({
  name: 'create',
  summary: 'Create a webhook, and print its secret',
  argument: '<name>',
  argumentIs: 'its name, such as deploy-bot',
  columns,
  options: (command) =>
    command
      .requiredOption('--url <url>', 'the https URL to which events are sent')
      .option(
        '--type <type>',
        'a type of events, such as server.started; may be given several times',
        collected,
      )
      .option('-l, --label <selector>', 'only events of servers with these labels: env=prod')
      .option('--header <name=value>', 'a further header; may be given several times', pairs)
      .option('--disabled', 'send nothing yet'),
  request: (berth, name, { url, type, label, header, disabled }) =>
    berth.POST('/v1/webhooks', {
      body: {
        ...{ name, url },
        ...defined({ types: type as Type[] | undefined, label_selector: label, headers: header }),
        ...(disabled && { enabled: false }),
      },
    }),
  aside: ({ id, name }) =>
    `Webhook ${name} (${id}) is created. This is its secret, which is shown only now:`,
  // The secret is all that is printed, so that a script can store it.
  sentence: (row) => (row as Schemas['NewWebhookSecret']).secret,
});

const update = changeVerb({
  name: 'update',
  summary: 'Change a webhook, or resume it',
  argument: '<webhook>',
  columns,
  options: (command) =>
    command
      .option('--name <name>', 'the new name')
      .option('--url <url>', 'the https URL to which events are sent')
      .option(
        '--type <type>',
        'a type of events, in place of all previous ones; may be given several times',
        collected,
      )
      .option('--all-types', 'send events of all types')
      .option('-l, --label <selector>', 'only events of servers with these labels; "" for all')
      .option(
        '--header <name=value>',
        'a header, in place of all previous ones; may be given several times',
        pairs,
      )
      .option(
        '--enabled <yes|no>',
        'whether to send events; yes also resumes a paused webhook',
        yesOrNo,
      ),
  request: (berth, id, { name, url, type, allTypes, label, header, enabled }) => {
    const types = allTypes ? [] : (type as Type[] | undefined);
    const body = changesOf({ name, url, types, label_selector: label, headers: header, enabled });
    return berth.PATCH('/v1/webhooks/{id}', { params: { path: { id } }, body });
  },
  sentence: ({ name, status }) => `Webhook ${name} is changed, and ${status}.`,
});

const remove = changeVerb({
  name: 'delete',
  summary: 'Delete a webhook',
  argument: '<webhook>',
  columns,
  warning: (name) => `The webhook ${name} will be deleted, and nothing more is sent to it.`,
  request: (berth, id) => berth.DELETE('/v1/webhooks/{id}', { params: { path: { id } } }),
  sentence: ({ name }) => `Webhook ${name} is deleted.`,
});

const rotate = changeVerb({
  name: 'rotate-secret',
  summary: 'Give a webhook a new secret, and print it',
  about: 'Until the former one ends, events are signed with both.',
  argument: '<webhook>',
  columns,
  options: (command) =>
    command.option(
      '--keep-former <hours>',
      'for how many hours the former one signs as well',
      whole,
    ),
  warning: (name) => `The webhook ${name} will get a new secret, which its receiver needs.`,
  request: (berth, id, { keepFormer }) =>
    berth.POST('/v1/webhooks/{id}/rotate-secret', {
      params: { path: { id } },
      body: defined({ keep_former_hours: keepFormer }),
    }),
  aside: ({ name }) => `This is the new secret of ${name}, which is shown only now:`,
  sentence: (row) => (row as Schemas['NewWebhookSecret']).secret,
});

export const webhook = noun('webhook', 'Have events sent to URLs, and see what was sent.', [
  ...[list, show, create, update, remove, rotate, test, deliveries, delivery, redeliver],
]);

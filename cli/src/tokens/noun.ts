import { items } from '@berth/client';
import { columnsOf, referring } from '../output/columns.ts';
import { age, moment } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';
import { changeVerb } from '../verbs/change.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { choice, collected, defined, futureTime } from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';

const scopes = ['servers:read', 'servers:write', 'metrics:read', 'admin'] as const;

const columns = columnsOf<Schemas['Token']>(
  {
    id: (token) => token.id,
    name: (token) => token.name,
    scopes: (token) => token.scopes,
    project_id: referring('project', (token) => token.project_id),
    user_id: (token) => token.user_id,
    parent_id: (token) => token.parent_id,
    allowed_networks: (token) => token.allowed_networks,
    expires_at: { of: (token) => token.expires_at, text: ({ expires_at }) => moment(expires_at) },
    last_used: {
      of: (token) => token.last_used_at,
      text: ({ last_used_at }) => (last_used_at === null ? 'never' : `${age(last_used_at)} ago`),
    },
    created_at: { of: (token) => token.created_at, text: ({ created_at }) => moment(created_at) },
  },
  ['id', 'name', 'scopes', 'expires_at', 'last_used'],
  ({ name }) => name,
);

const list = listVerb({
  summary: 'List the tokens of the project',
  columns,
  options: (command) =>
    command.option('--search <text>', 'only those whose name begins with this text'),
  rows: (berth, { search, pageSize }) =>
    items(berth, '/v1/tokens', { params: { query: defined({ q: search, limit: pageSize }) } }),
});

const show = showVerb({
  summary: 'Show a token, without its secret',
  argument: '<token>',
  columns,
  get: (berth, id) => berth.GET('/v1/tokens/{id}', { params: { path: { id } } }),
});

const create = changeVerb({
  name: 'create',
  summary: 'Create a token, and print its secret',
  argument: '<name>',
  argumentIs: 'what it is for',
  columns,
  options: (command) =>
    command
      .addOption(choice('--scope <scope...>', 'what it allows', scopes).makeOptionMandatory())
      .option('--expires <time>', 'when it expires: 30d, 2027-01-31', futureTime)
      .option('--network <network>', 'where it may be used; may be given several times', collected),
  request: (berth, name, { scope, expires, network }) => {
    const more = defined({ expires_at: expires, allowed_networks: network });
    // Mandatory, which the type does not know.
    return berth.POST('/v1/tokens', { body: { name, scopes: scope ?? [], ...more } });
  },
  aside: ({ id, name }) =>
    `Token ${name} (${id}) is created. This is its secret, which is shown only now:`,
  // The secret is all that is printed, so that a script can store it.
  sentence: (row) => (row as Schemas['NewToken']).token,
});

const revoke = changeVerb({
  name: 'revoke',
  summary: 'Revoke a token, and those that were created with it',
  argument: '<token>',
  columns,
  warning: (name) => `The token ${name} and those that were created with it will be revoked.`,
  request: (berth, id) => berth.DELETE('/v1/tokens/{id}', { params: { path: { id } } }),
  sentence: (row) => {
    const others = (row as Schemas['RevokedToken']).revoked_tokens - 1;
    return `Token ${row.name} is revoked${others > 0 ? `, and ${others} created with it` : ''}.`;
  },
});

export const token = noun('token', 'Create, list and revoke tokens of the API.', [
  ...[list, show, create, revoke],
]);

import { type Static, Type } from 'typebox';
import { NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Name, notAnId } from './text.ts';
import { Person } from './users.ts';
import { Closed, Id, Nullable, Time, Timestamp, Word } from './values.ts';

const scopeWords =
  'A scope. `servers:read` allows reading servers and all that belongs to them, `servers:write` also changing them, ' +
  '`metrics:read` reading only `/metrics`, and `admin` everything.';
const Scope = Word(['servers:read', 'servers:write', 'metrics:read', 'admin'], {
  description: scopeWords,
  examples: ['servers:read'],
});

const network = Type.String({
  description: 'A network, in CIDR notation.',
  examples: ['203.0.113.0/24'],
});
const networksWords =
  'The networks that requests with the token may come from. If the list is empty, they may come from everywhere.';

const shown = {
  id: Id('the token', 3),
  name: Type.String({ description: 'The name of the token.', examples: ['backup script'] }),
  project_id: Id('the project that the token gives access to', 1),
  scopes: Type.Array(Scope, { description: 'The scopes of the token: what it allows.' }),
  user_id: Nullable(
    Type.Integer({
      description:
        'The ID of the user that the token belongs to. It never allows more than the user may do. Null if it belongs ' +
        'to no user.',
      examples: [2],
    }),
  ),
  parent_id: Nullable(
    Type.Integer({
      description:
        'The ID of the token that this token was created with. If that one is revoked or expires, so does this one. Null ' +
        'if it was created in a session or on the command line.',
      examples: [7],
    }),
  ),
  allowed_networks: Type.Array(network, { description: networksWords }),
  expires_at: Nullable(
    Timestamp('The time at which the token expires. Null if it does not expire.'),
  ),
  last_used_at: Nullable(
    Timestamp(
      'The time of the last request with the token, accurate to a minute. Null if there was none.',
    ),
  ),
  created_at: Timestamp('The time at which the token was created.'),
};

export const Token = Type.Object(shown, {
  title: 'Token',
  description:
    'A token, with which a program authenticates. Its secret is returned only when it is created.',
});
export type Token = Static<typeof Token>;

export const NewToken = Type.Object(
  {
    ...shown,
    token: Type.String({
      description:
        'The secret of the token. This response is the only one that contains it; Berth stores only its hash.',
      examples: ['berth_…'],
    }),
  },
  { title: 'NewToken', description: 'The new token, with its secret.' },
);
export type NewToken = Static<typeof NewToken>;

export const RevokedToken = Type.Object(
  {
    ...shown,
    revoked_tokens: Type.Integer({
      minimum: 1,
      description:
        'The number of tokens that were revoked: 1 for the token itself, and those that were created with it, directly or indirectly.',
      examples: [3],
    }),
  },
  { title: 'RevokedToken', description: 'The token that was revoked.' },
);

export const TokenCreate = Closed(
  {
    name: Name({
      description: `The name of the token. ${notAnId}`,
      examples: ['backup script'],
    }),
    scopes: Type.Array(Scope, {
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
      description: 'The scopes of the token: what it allows. The caller must have each of them.',
      explain:
        'Must be an array of some of servers:read, servers:write, metrics:read and admin, each once.',
    }),
    expires_at: Type.Optional(
      Time(
        'The time at which the token expires. It cannot be later than the expiry of the token that makes the request, ' +
          'which is also the default. A token that is created in a session does not expire by default.',
      ),
    ),
    allowed_networks: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 49,
          pattern: '^[0-9a-fA-F.:]+(/\\d{1,3})?$',
          description: 'A network, in CIDR notation.',
          explain: 'Must be a network such as 203.0.113.0/24 or 2001:db8::/32.',
          examples: ['203.0.113.0/24'],
        }),
        {
          maxItems: 50,
          description:
            'Up to 50 networks that requests with the token may come from. They must be within those of the token that ' +
            'makes the request, which are also the default.',
          explain: 'Must be an array of at most 50 networks.',
        },
      ),
    ),
  },
  { title: 'TokenCreate', description: 'The token to create.' },
);
export type TokenCreate = Static<typeof TokenCreate>;

export const TokenQuery = Closed({ ...pageParameters, q: NamePrefix('tokens', 'name') });

export const Whoami = Type.Object(
  {
    token_id: Nullable(
      Type.Integer({
        description: 'The ID of the token. Null if the request is made in a session.',
        examples: [3],
      }),
    ),
    user: Nullable(
      Type.Object(Person.properties, {
        description:
          'The user who signed in, or to whom the token belongs. Null if it belongs to no user.',
      }),
    ),
    project: Type.Object(
      {
        id: Id('the project', 1),
        name: Type.String({ description: 'The name of the project.', examples: ['default'] }),
      },
      { description: 'The project that the request is about.' },
    ),
    scopes: Type.Array(Scope, { description: 'What the token or the session allows.' }),
    expires_at: Nullable(
      Timestamp('The time at which the token expires. Null if it does not expire.'),
    ),
    allowed_networks: Type.Array(network, { description: networksWords }),
    address: Type.String({
      description: 'The IP address that the request came from.',
      examples: ['203.0.113.7'],
    }),
  },
  { title: 'Whoami', description: 'The token or session of the request, and what it allows.' },
);
export type Whoami = Static<typeof Whoami>;

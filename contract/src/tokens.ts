import { type Static, Type } from 'typebox';
import { NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Title } from './text.ts';
import { Person } from './users.ts';
import { Closed, Nullable, Time, Timestamp, Word } from './values.ts';

const scopeWords =
  'What it allows. `servers:write` includes `servers:read`; `metrics:read` is for `/metrics` alone; `admin` is everything.';
const Scope = Word(['servers:read', 'servers:write', 'metrics:read', 'admin'], {
  description: scopeWords,
  examples: ['servers:read'],
});

const shown = {
  id: Type.Integer({ examples: [3] }),
  name: Type.String({ examples: ['backup script'] }),
  project_id: Type.Integer({ description: 'Whose servers it is for.', examples: [1] }),
  scopes: Type.Array(Scope),
  user_id: Nullable(
    Type.Integer({
      description: 'Whose it is: it allows no more than they may. Null: nobody’s.',
      examples: [2],
    }),
  ),
  parent_id: Nullable(
    Type.Integer({
      description: 'The token that made it, with which it ends. Null: a person, or the tool.',
      examples: [null],
    }),
  ),
  allowed_networks: Type.Array(Type.String({ examples: ['203.0.113.0/24'] }), {
    description: 'Where it may be used from, in CIDR notation; none: from everywhere.',
  }),
  expires_at: Nullable(Timestamp('When it ends; null: never.')),
  last_used_at: Nullable(Timestamp('Within a minute; null: never.')),
  created_at: Timestamp('When it was made.'),
};

export const Token = Type.Object(shown, {
  title: 'Token',
  description: 'What a program proves itself with. Its secret is not shown again.',
});
export type Token = Static<typeof Token>;

export const NewToken = Type.Object(
  {
    ...shown,
    token: Type.String({
      description: 'The secret. It is shown this once: only its hash is kept.',
      examples: ['berth_…'],
    }),
  },
  { title: 'NewToken' },
);
export type NewToken = Static<typeof NewToken>;

export const TokenCreate = Closed(
  {
    name: Title({ description: 'What it is for.', examples: ['backup script'] }),
    scopes: Type.Array(Scope, {
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
      description: `${scopeWords} None that the caller lacks.`,
      explain:
        'Must be a list of some of servers:read, servers:write, metrics:read and admin, each once.',
    }),
    expires_at: Type.Optional(
      Time('When it ends: at the latest when the caller does. Without it, as the caller.'),
    ),
    allowed_networks: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 49,
          pattern: '^[0-9a-fA-F.:]+(/\\d{1,3})?$',
          explain: 'Must be a network such as 203.0.113.0/24 or 2001:db8::/32.',
          examples: ['203.0.113.0/24'],
        }),
        {
          maxItems: 50,
          description:
            'Where it may be used from: within what the caller may. Without it, as the caller.',
          explain: 'Must be a list of at most 50 networks.',
        },
      ),
    ),
  },
  { title: 'TokenCreate' },
);
export type TokenCreate = Static<typeof TokenCreate>;

export const TokenQuery = Closed({ ...pageParameters, q: NamePrefix('tokens', 'name') });

export const Whoami = Type.Object(
  {
    token_id: Nullable(
      Type.Integer({ description: 'Null: a person who signed in asks.', examples: [3] }),
    ),
    user: Nullable(Person),
    project: Type.Object(
      { id: Type.Integer({ examples: [1] }), name: Type.String({ examples: ['default'] }) },
      { description: 'The one that requests are about.' },
    ),
    scopes: Type.Array(Scope),
    expires_at: Nullable(Timestamp('When the token ends; null: never.')),
    allowed_networks: Type.Array(Type.String({ examples: ['203.0.113.0/24'] })),
    address: Type.String({
      description: 'Where the request came from.',
      examples: ['203.0.113.7'],
    }),
  },
  { title: 'Whoami', description: 'What the service knows of who asks.' },
);
export type Whoami = Static<typeof Whoami>;

import { type Static, Type } from 'typebox';
import { NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Title } from './text.ts';
import { Closed, Timestamp, Word } from './values.ts';

export const roles = ['owner', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

export const Role = Word([...roles], {
  description:
    'What a member may: a `viewer` sees, a `member` also changes servers, an `owner` also manages the members.',
  examples: ['member'],
});

export const emailPattern =
  '^[^\\s@\\u0000-\\u001f\\u007f]{1,64}@[^\\s@\\u0000-\\u001f\\u007f]{1,189}$';

const email = Type.String({
  pattern: emailPattern,
  description: 'Unique, whatever the case of its letters A to Z.',
  examples: ['ada@example.com'],
  explain: 'Must be an email address, such as ada@example.com.',
});

/** A new one is also tried for its strength. */
export const newPassword = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'One that is hard to guess, such as four unusual words.',
  examples: ['copper-lantern-Tuesday-otter'],
  explain: 'Must be a text of at most 128 characters.',
});

const name = Title({ description: 'As others see it.', examples: ['Ada Lovelace'] });

const is_admin = Type.Boolean({
  description: 'Whether they may do everything, in all projects.',
  examples: [false],
  explain: 'Must be true or false.',
});

export const User = Type.Object(
  {
    id: Type.Integer({ examples: [2] }),
    email: Type.String({ examples: ['ada@example.com'] }),
    name: Type.String({ examples: ['Ada Lovelace'] }),
    is_admin: Type.Boolean({ description: 'Whether they may do everything, in all projects.' }),
    has_password: Type.Boolean({ description: 'Whether they can sign in with a password.' }),
    is_disabled: Type.Boolean({ description: 'Whether they and their tokens are shut out.' }),
    created_at: Timestamp('When they were added.'),
  },
  { title: 'User', description: 'A person who can sign in.' },
);
export type User = Static<typeof User>;

export const UserCreate = Closed(
  {
    email,
    name: Type.Optional(name),
    password: Type.Optional(newPassword),
    is_admin: Type.Optional(is_admin),
  },
  {
    title: 'UserCreate',
    description: 'Without a password they sign in by way of the OpenID provider.',
  },
);
export type UserCreate = Static<typeof UserCreate>;

export const UserUpdate = Closed(
  {
    email: Type.Optional(email),
    name: Type.Optional(name),
    password: Type.Optional(newPassword),
    is_admin: Type.Optional(is_admin),
    is_disabled: Type.Optional(
      Type.Boolean({
        description: 'Shuts them and their tokens out at once, or lets them in again.',
        examples: [true],
        explain: 'Must be true or false.',
      }),
    ),
  },
  { title: 'UserUpdate', description: 'What is left out stays as it is.' },
);
export type UserUpdate = Static<typeof UserUpdate>;

export const UserQuery = Closed({ ...pageParameters, q: NamePrefix('users', 'email address or name') });

export const Member = Type.Object(
  {
    user_id: Type.Integer({ examples: [2] }),
    email: Type.String({ examples: ['ada@example.com'] }),
    name: Type.String({ examples: ['Ada Lovelace'] }),
    role: Role,
    since: Timestamp('When they became a member.'),
  },
  { title: 'Member', description: 'A person in a project.' },
);
export type Member = Static<typeof Member>;

export const MemberAdd = Closed({ email, role: Role }, { title: 'MemberAdd' });

export const MemberUpdate = Closed({ role: Role }, { title: 'MemberUpdate' });

export const Person = Type.Object(
  {
    id: Type.Integer({ examples: [2] }),
    email: Type.String({ examples: ['ada@example.com'] }),
    name: Type.String({ examples: ['Ada Lovelace'] }),
    is_admin: Type.Boolean(),
  },
  { description: 'The person who signed in, or whose token it is.' },
);
export type Person = Static<typeof Person>;

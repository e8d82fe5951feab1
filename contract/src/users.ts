import { type Static, Type } from 'typebox';
import { NamePrefix } from './filters.ts';
import { pageParameters } from './pagination.ts';
import { Title } from './text.ts';
import { Closed, Id, Timestamp, Word } from './values.ts';

export const roles = ['owner', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

export const Role = Word([...roles], {
  description:
    'The role of the member in the project. `viewer`: may read everything in it but its members. `member`: may also ' +
    'change servers. `owner`: may also read and manage the members.',
  examples: ['member'],
});

export const emailPattern =
  '^[^\\s@\\u0000-\\u001f\\u007f]{1,64}@[^\\s@\\u0000-\\u001f\\u007f]{1,189}$';

export const email = Type.String({
  pattern: emailPattern,
  description:
    'The email address of the user. It must be unique; the comparison ignores the case of A to Z.',
  examples: ['ada@example.com'],
  explain: 'Must be an email address, such as ada@example.com.',
});

/** The strength of a new password is also checked. */
export const newPassword = Type.String({
  minLength: 1,
  maxLength: 128,
  description:
    'The new password. Passwords that are easy to guess are refused; four unusual words make a good password.',
  examples: ['copper-lantern-Tuesday-otter'],
  explain: 'Must be 1–128 characters.',
});

export const name = Title({
  description: 'The name of the user, as others see it.',
  examples: ['Ada Lovelace'],
});

const adminWords = 'Whether the user is an administrator, who may do everything in all projects.';
const is_admin = Type.Boolean({
  description: `${adminWords} The default for a new user is \`false\`.`,
  examples: [false],
  explain: 'Must be true or false.',
});

const emailShown = Type.String({
  description: 'The email address of the user.',
  examples: ['ada@example.com'],
});
const nameShown = Type.String({
  description: 'The name of the user. It may be empty.',
  examples: ['Ada Lovelace'],
});

export const hasPassword = Type.Boolean({
  description: 'Whether the user has a password, with which they can sign in.',
});

export const User = Type.Object(
  {
    id: Id('the user', 2),
    email: emailShown,
    name: nameShown,
    is_admin: Type.Boolean({ description: adminWords }),
    has_password: hasPassword,
    enabled: Type.Boolean({
      description:
        'Whether the user can sign in. The tokens of a user who is not enabled are refused.',
    }),
    is_disabled: Type.Boolean({
      deprecated: true,
      description: 'Deprecated since 1.0.0-rc.1: use `enabled`, which is the opposite.',
    }),
    created_at: Timestamp('The time at which the user was added.'),
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
    description:
      'The user to add. A user without a password signs in at the OpenID provider of the installation.',
  },
);
export type UserCreate = Static<typeof UserCreate>;

export const UserUpdate = Closed(
  {
    email: Type.Optional(email),
    name: Type.Optional(name),
    password: Type.Optional(newPassword),
    is_admin: Type.Optional(is_admin),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          'Whether the user can sign in. If it is `false`, their sessions end, and their tokens are refused.',
        examples: [false],
        explain: 'Must be true or false.',
      }),
    ),
    is_disabled: Type.Optional(
      Type.Boolean({
        deprecated: true,
        description: 'Deprecated since 1.0.0-rc.1: use `enabled`, which is the opposite.',
        examples: [true],
        explain: 'Must be true or false.',
      }),
    ),
  },
  {
    title: 'UserUpdate',
    description: 'The fields to change. Fields that are omitted are not changed.',
  },
);
export type UserUpdate = Static<typeof UserUpdate>;

export const UserQuery = Closed({
  ...pageParameters,
  q: NamePrefix('users', 'email address or name'),
});

export const Member = Type.Object(
  {
    user_id: Id('the user', 2),
    email: emailShown,
    name: nameShown,
    role: Role,
    since: Timestamp('The time at which the user became a member.'),
  },
  { title: 'Member', description: 'The membership of a user in a project.' },
);
export type Member = Static<typeof Member>;

export const MemberAdd = Closed(
  { email: { ...email, description: 'The email address of the user.' }, role: Role },
  { title: 'MemberAdd', description: 'The user to add to the project, and their role.' },
);

export const MemberUpdate = Closed(
  { role: Role },
  { title: 'MemberUpdate', description: 'The new role of the member.' },
);

export const Person = Type.Object(
  {
    id: Id('the user', 2),
    email: emailShown,
    name: nameShown,
    is_admin: Type.Boolean({ description: adminWords }),
  },
  {
    description: 'The user who signed in, or to whom the token belongs.',
  },
);
export type Person = Static<typeof Person>;

import { type Static, Type } from 'typebox';
import { PasskeySignIn } from './passkeys.ts';
import { linePattern } from './text.ts';
import { newPassword, Person, Role } from './users.ts';
import { Closed, Timestamp } from './values.ts';

const anyText = { maxLength: 254, explain: 'Must be a text of at most 254 characters.' };

export const SignIn = Closed(
  {
    email: Type.String({
      ...anyText,
      pattern: linePattern,
      description: 'Whose.',
      examples: ['ada@example.com'],
      explain: 'Must be a text of at most 254 characters, without control characters.',
    }),
    password: Type.String({
      ...anyText,
      description: 'Theirs.',
      examples: ['copper-lantern-Tuesday-otter'],
    }),
  },
  { title: 'SignIn' },
);
export type SignIn = Static<typeof SignIn>;

export const CurrentSession = Type.Object(
  {
    user: Person,
    projects: Type.Array(
      Type.Object({
        id: Type.Integer({ examples: [1] }),
        name: Type.String({ examples: ['default'] }),
        role: Role,
      }),
      {
        description:
          'Those that they are a member of, the oldest membership first. That one is used where none is named.',
      },
    ),
    csrf_token: Type.String({
      description: 'To be sent as `Berth-CSRF` with each request that changes something.',
    }),
    expires_at: Timestamp('When it ends unless it is used before.'),
  },
  { title: 'CurrentSession', description: 'Who signed in, and what they may.' },
);
export type CurrentSession = Static<typeof CurrentSession>;

export const Session = Type.Object(
  {
    id: Type.Integer({ examples: [12] }),
    is_current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
    address: Type.String({ description: 'Where it began.', examples: ['203.0.113.7'] }),
    user_agent: Type.String({ description: 'What the browser calls itself.' }),
    created_at: Timestamp('When they signed in.'),
    last_used_at: Timestamp('Within a minute.'),
    expires_at: Timestamp('When it ends unless it is used before.'),
  },
  { title: 'Session', description: 'A browser that somebody signed in with.' },
);
export type Session = Static<typeof Session>;

export const SessionsEnded = Type.Object(
  {
    ended: Type.Integer({ description: 'How many sessions.', examples: [2] }),
    tokens_left: Type.Integer({
      description: 'How many tokens of yours still hold, in all projects.',
      examples: [0],
    }),
  },
  { title: 'SessionsEnded' },
);

export const SessionsEndQuery = Closed({
  tokens: Type.Optional(
    Type.Boolean({
      description: 'Revokes all your tokens as well, in all projects, and what they made.',
      explain: 'Must be true or false.',
    }),
  ),
});

export const SessionConfirm = Closed(
  {
    password: Type.Optional(Type.String({ ...anyText, description: 'Yours.' })),
    passkey: Type.Optional(PasskeySignIn),
  },
  { title: 'SessionConfirm', description: 'One of both.' },
);
export type SessionConfirm = Static<typeof SessionConfirm>;

export const SessionConfirmed = Type.Object(
  { confirmed_until: Timestamp('Until when it need not be done again.') },
  { title: 'SessionConfirmed' },
);

export const PasswordChange = Closed(
  {
    password: Type.String({ ...anyText, description: 'The one until now.' }),
    new_password: newPassword,
  },
  { title: 'PasswordChange' },
);
export type PasswordChange = Static<typeof PasswordChange>;

export const OidcBegin = Type.Object(
  {
    authorization_url: Type.String({
      description: 'Where the browser is to go, within ten minutes.',
      examples: ['https://id.example.com/authorize?client_id=berth'],
    }),
  },
  { title: 'OidcBegin' },
);

const answered = (description: string) =>
  Type.Optional(Type.String({ maxLength: 4096, description, explain: 'Must be a text, once.' }));

/** Providers add parameters of their own. */
export const OidcCallback = Type.Object({
  state: answered('As it was sent to the provider.'),
  code: answered('What the provider answers.'),
  error: answered('Why it does not.'),
  iss: answered('Who answers (RFC 9207).'),
});
export type OidcCallback = Static<typeof OidcCallback>;

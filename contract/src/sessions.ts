import { type Static, Type } from 'typebox';
import { PasskeySignIn } from './passkeys.ts';
import { linePattern } from './text.ts';
import { hasPassword, newPassword, Person, Role } from './users.ts';
import { Closed, Id, Nullable, Timestamp } from './values.ts';

const anyText = { maxLength: 254, explain: 'Must be a string of at most 254 characters.' };

export const SignIn = Closed(
  {
    email: Type.String({
      ...anyText,
      pattern: linePattern,
      description: 'The email address of the user.',
      examples: ['ada@example.com'],
      explain: 'Must be a string of at most 254 characters, without control characters.',
    }),
    password: Type.String({
      ...anyText,
      description: 'The password of the user.',
      examples: ['copper-lantern-Tuesday-otter'],
    }),
  },
  { title: 'SignIn', description: 'The email address and the password of the user who signs in.' },
);
export type SignIn = Static<typeof SignIn>;

export const SignInMethods = Type.Object(
  {
    origin: Type.String({
      description:
        'The origin of the pages on which passkeys and the OpenID provider can be used: that of `BERTH_PUBLIC_URL`.',
      examples: ['https://berth.example.com'],
    }),
    passkeys: Type.Boolean({
      description:
        'Whether people can sign in with passkeys. Browsers have none for an `origin` with an IP address.',
    }),
    openid: Nullable(
      Type.Object(
        {
          name: Type.String({
            description: 'The name of the OpenID provider: `BERTH_OIDC_NAME`, or its host name.',
            examples: ['id.example.com'],
          }),
        },
        { description: 'The OpenID provider at which people can sign in. Null if there is none.' },
      ),
    ),
  },
  { title: 'SignInMethods', description: 'How people can sign in, other than with a password.' },
);

const expiryWords =
  'The time at which the session ends unless it is used before. Each use extends it to 12 hours, up to 30 days after ' +
  'the sign-in.';

export const CurrentSession = Type.Object(
  {
    user: Type.Object(
      { ...Person.properties, has_password: hasPassword },
      { description: 'The user who signed in.' },
    ),
    projects: Type.Array(
      Type.Object(
        {
          id: Id('the project', 1),
          name: Type.String({ description: 'The name of the project.', examples: ['default'] }),
          role: Role,
        },
        { description: 'A project, with the role of the user in it.' },
      ),
      {
        description:
          'The projects that the user is a member of, the oldest membership first. Requests without the header ' +
          '`Berth-Project` are about the first one.',
      },
    ),
    csrf_token: Type.String({
      description:
        'The CSRF token of the session, to be sent in the header `Berth-CSRF` of each request that changes something.',
      examples: ['2f9d0c5be1'],
    }),
    expires_at: Timestamp(expiryWords),
  },
  {
    title: 'CurrentSession',
    description: 'The session of the request: the user who signed in, and their projects.',
  },
);
export type CurrentSession = Static<typeof CurrentSession>;

export const Session = Type.Object(
  {
    id: Id('the session', 12),
    is_current: Type.Boolean({ description: 'Whether this is the session of the request.' }),
    address: Type.String({
      description: 'The IP address that the user signed in from.',
      examples: ['203.0.113.7'],
    }),
    user_agent: Type.String({
      description: 'The header `User-Agent` of the browser that the user signed in with.',
      examples: ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
    }),
    created_at: Timestamp('The time of the sign-in.'),
    last_used_at: Timestamp('The time of the last request in the session, accurate to a minute.'),
    expires_at: Timestamp(expiryWords),
  },
  { title: 'Session', description: 'A session of a user: a browser in which they signed in.' },
);
export type Session = Static<typeof Session>;

export const SessionsEnded = Type.Object(
  {
    ended: Type.Integer({ description: 'The number of sessions that were ended.', examples: [2] }),
    tokens_left: Type.Integer({
      description: 'The number of tokens of the user that are still valid, in all projects.',
      examples: [0],
    }),
  },
  {
    title: 'SessionsEnded',
    description: 'The sessions that were ended, and the tokens that remain.',
  },
);

export const SessionsEndQuery = Closed({
  tokens: Type.Optional(
    Type.Boolean({
      description:
        'Whether to revoke all tokens of the user in all projects as well, with the tokens that were created with ' +
        'them. The default is `false`.',
      explain: 'Must be true or false.',
    }),
  ),
});

export const SessionConfirm = Closed(
  {
    password: Type.Optional(
      Type.String({
        ...anyText,
        description: 'The password of the user.',
        examples: ['copper-lantern-Tuesday-otter'],
      }),
    ),
    passkey: Type.Optional(PasskeySignIn),
  },
  {
    title: 'SessionConfirm',
    description: 'The proof of identity: either `password` or `passkey`.',
  },
);
export type SessionConfirm = Static<typeof SessionConfirm>;

export const SessionConfirmed = Type.Object(
  {
    confirmed_until: Timestamp('The time until which the session needs no further confirmation.'),
  },
  { title: 'SessionConfirmed', description: 'The confirmation of the session.' },
);

export const PasswordChange = Closed(
  {
    password: Type.String({
      ...anyText,
      description: 'The current password of the user.',
      examples: ['copper-lantern-Tuesday-otter'],
    }),
    new_password: newPassword,
  },
  { title: 'PasswordChange', description: 'The current and the new password of the user.' },
);
export type PasswordChange = Static<typeof PasswordChange>;

export const OidcBeginQuery = Closed({
  return_to: Type.Optional(
    Type.String({
      maxLength: 2048,
      pattern: '^/(?![/\\\\])',
      description:
        'The path of the page of the panel to return to after the sign-in, with its query. The default is `/`.',
      examples: ['/servers/42'],
      explain: 'Must be a path of at most 2048 characters, such as /servers/42.',
    }),
  ),
});

export const OidcBegin = Type.Object(
  {
    authorization_url: Type.String({
      description:
        'The URL of the OpenID provider to send the browser to. It can be used within ten minutes.',
      examples: ['https://id.example.com/authorize?client_id=berth'],
    }),
  },
  { title: 'OidcBegin', description: 'A sign-in at the OpenID provider that was begun.' },
);

const answered = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      maxLength: 4096,
      description,
      examples: [example],
      explain: 'Must be a string of at most 4096 characters.',
    }),
  );

/** Why a sign-in at the OpenID provider has failed. The panel has words for each. */
export const oidcFailures = [
  ...['not_begun', 'cancelled', 'not_confirmed', 'provider_unavailable'],
  ...['email_missing', 'email_unverified', 'email_in_use', 'domain_not_allowed', 'user_disabled'],
] as const;
export type OidcFailure = (typeof oidcFailures)[number];

/** Providers add parameters of their own. */
export const OidcCallback = Type.Object({
  state: answered('The value of `state` that was sent to the provider.', 'af0ifjsldkj'),
  code: answered(
    'The authorization code of the provider. Present if the sign-in succeeded there.',
    'SplxlOBeZQQYbYS6WxSbIA',
  ),
  error: answered(
    'The error of the provider. Present if the sign-in failed there.',
    'access_denied',
  ),
  iss: answered('The issuer identifier of the provider (RFC 9207).', 'https://id.example.com'),
});
export type OidcCallback = Static<typeof OidcCallback>;

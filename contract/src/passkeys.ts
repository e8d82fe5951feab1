import { type Static, Type } from 'typebox';
import { Title } from './text.ts';
import { Closed, Id, Nullable, Timestamp } from './values.ts';

export const Passkey = Type.Object(
  {
    id: Id('the passkey', 4),
    name: Type.String({ description: 'The name of the passkey.', examples: ['Phone'] }),
    created_at: Timestamp('The time at which the passkey was added.'),
    last_used_at: Nullable(
      Timestamp('The time of the last sign-in with the passkey. Null if there was none.'),
    ),
  },
  { title: 'Passkey', description: 'A passkey (WebAuthn) that a user signs in with.' },
);
export type Passkey = Static<typeof Passkey>;

const challenge = Type.String({
  description:
    'The challenge that the authenticator signs, in base64url. It can be used once, within ten minutes.',
  examples: ['qk3gZ0y1pQ7cXJr9o2mT5w'],
});
const timeout = Type.Integer({
  description: 'How long the browser waits for the user, in milliseconds.',
  examples: [300_000],
});
const relyingParty = (description: string) =>
  Type.String({ description, examples: ['berth.example.com'] });
const userVerification = Type.String({
  description: 'Whether the authenticator has to verify the user, such as by a PIN.',
  examples: ['required'],
});

/** What of WebAuthn's PublicKeyCredentialRequestOptionsJSON is needed. */
export const PasskeyRequest = Type.Object(
  {
    challenge,
    timeout,
    rpId: relyingParty('The ID of the relying party: the host name of the installation.'),
    userVerification,
  },
  {
    title: 'PasskeyRequest',
    description:
      'The options of a sign-in with a passkey, for `PublicKeyCredential.parseRequestOptionsFromJSON` in the browser.',
  },
);
export type PasskeyRequest = Static<typeof PasskeyRequest>;

const credentialType = Type.String({
  description: 'The type of the credential.',
  examples: ['public-key'],
});
const transport = Type.String({
  description: 'A transport of WebAuthn, such as `internal` or `usb`.',
  examples: ['internal'],
});

const known = Type.Object(
  {
    id: Type.String({
      description: 'The ID of the credential, in base64url.',
      examples: ['dGhlLWNyZWRlbnRpYWw'],
    }),
    type: credentialType,
    transports: Type.Array(transport, {
      description: 'How the browser can reach the authenticator.',
    }),
  },
  { description: 'A passkey that the user has already.' },
);

/** What of WebAuthn's PublicKeyCredentialCreationOptionsJSON is needed. */
export const PasskeyCreation = Type.Object(
  {
    challenge,
    timeout,
    rp: Type.Object(
      {
        id: relyingParty('The ID of the relying party: the host name of the installation.'),
        name: Type.String({
          description: 'The display name of the relying party.',
          examples: ['Berth'],
        }),
      },
      { description: 'The relying party: this installation of Berth.' },
    ),
    user: Type.Object(
      {
        id: Type.String({
          description:
            'The handle of the user, in base64url. It contains nothing about the person.',
          examples: ['dXNlci0y'],
        }),
        name: Type.String({
          description: 'The email address of the user.',
          examples: ['ada@example.com'],
        }),
        displayName: Type.String({
          description: 'The name of the user.',
          examples: ['Ada Lovelace'],
        }),
      },
      { description: 'The user that the passkey is for.' },
    ),
    pubKeyCredParams: Type.Array(
      Type.Object(
        {
          type: credentialType,
          alg: Type.Integer({
            description: 'The COSE identifier of a signature algorithm.',
            examples: [-7],
          }),
        },
        { description: 'An accepted signature algorithm.' },
      ),
      { description: 'The accepted signature algorithms, in order of preference.' },
    ),
    excludeCredentials: Type.Array(known, {
      description:
        'The passkeys that the user has already. An authenticator that has one is refused.',
    }),
    authenticatorSelection: Type.Object(
      {
        residentKey: Type.String({
          description: 'Whether the passkey has to be discoverable.',
          examples: ['required'],
        }),
        requireResidentKey: Type.Boolean({
          description: 'Whether `residentKey` is `required`, for older browsers.',
        }),
        userVerification,
      },
      { description: 'What the authenticator has to support.' },
    ),
    attestation: Type.String({
      description: 'Whether the authenticator has to prove its model (attestation).',
      examples: ['none'],
    }),
  },
  {
    title: 'PasskeyCreation',
    description:
      'The options of a new passkey, for `PublicKeyCredential.parseCreationOptionsFromJSON` in the browser.',
  },
);
export type PasskeyCreation = Static<typeof PasskeyCreation>;

const bytes = (description: string, example: string) =>
  Type.String({
    maxLength: 65_536,
    pattern: '^[A-Za-z0-9_-]*$',
    description: `${description}, in base64url.`,
    examples: [example],
    explain: 'Must be base64url, as the browser’s toJSON() gives it.',
  });

const envelope = {
  id: bytes('The ID of the credential', 'dGhlLWNyZWRlbnRpYWw'),
  rawId: bytes('The ID of the credential, the same as `id`', 'dGhlLWNyZWRlbnRpYWw'),
  type: Type.Literal('public-key', {
    description: 'The type of the credential.',
    explain: 'Must be public-key.',
  }),
};

const clientDataJSON = bytes(
  'The client data of the request, as JSON',
  'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
);

/** `credential` allows unknown fields, because browsers send more fields than are needed, and may add others. */
export const PasskeyCreate = Closed(
  {
    name: Title({ description: 'The display name of the passkey.', examples: ['Phone'] }),
    credential: Type.Object(
      {
        ...envelope,
        response: Type.Object(
          {
            clientDataJSON,
            attestationObject: bytes(
              'The attestation object, with the public key',
              'o2NmbXRkbm9uZQ',
            ),
            transports: Type.Optional(
              Type.Array(
                Type.String({
                  maxLength: 32,
                  pattern: '^[a-z0-9-]*$',
                  description: 'A transport of WebAuthn, such as `internal` or `usb`.',
                  examples: ['internal'],
                  explain: 'Must be at most 32 lowercase letters, digits and hyphens.',
                }),
                {
                  maxItems: 10,
                  description: 'How the browser can reach the authenticator.',
                  explain: 'Must be an array of at most 10 transports.',
                },
              ),
            ),
          },
          { description: 'The response of the authenticator.' },
        ),
      },
      {
        description:
          'The new credential, as `toJSON()` of the `PublicKeyCredential` returns it in the browser.',
      },
    ),
  },
  { title: 'PasskeyCreate', description: 'The passkey to add.' },
);
export type PasskeyCreate = Static<typeof PasskeyCreate>;

export const PasskeySignIn = Type.Object(
  {
    ...envelope,
    response: Type.Object(
      {
        clientDataJSON,
        authenticatorData: bytes('The data of the authenticator', 'SZYN5YgOjGh0NBcPZHZgW4'),
        signature: bytes('The signature of the authenticator', 'MEUCIQDZ7x2a'),
        userHandle: Type.Optional(bytes('The handle of the user', 'dXNlci0y')),
      },
      { description: 'The response of the authenticator.' },
    ),
  },
  {
    title: 'PasskeySignIn',
    description:
      'The credential that signed the challenge, as `toJSON()` of the `PublicKeyCredential` returns it in the browser.',
  },
);
export type PasskeySignIn = Static<typeof PasskeySignIn>;

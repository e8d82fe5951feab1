import { type Static, Type } from 'typebox';
import { Title } from './text.ts';
import { Closed, Nullable, Timestamp } from './values.ts';

export const Passkey = Type.Object(
  {
    id: Type.Integer({ examples: [4] }),
    name: Type.String({ examples: ['Phone'] }),
    created_at: Timestamp('When it was added.'),
    last_used_at: Nullable(Timestamp('When somebody last signed in with it; null: never.')),
  },
  { title: 'Passkey', description: 'A key on a device that a person signs in with.' },
);
export type Passkey = Static<typeof Passkey>;

const challenge = Type.String({ description: 'Base64url. Used once, within ten minutes.' });
const timeout = Type.Integer({ description: 'Milliseconds.', examples: [60_000] });

/** What of WebAuthn's PublicKeyCredentialRequestOptionsJSON is needed. */
export const PasskeyRequest = Type.Object(
  {
    challenge,
    timeout,
    rpId: Type.String({ examples: ['berth.example.com'] }),
    userVerification: Type.String({ examples: ['required'] }),
  },
  {
    title: 'PasskeyRequest',
    description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON` in the browser.',
  },
);
export type PasskeyRequest = Static<typeof PasskeyRequest>;

const known = Type.Object({
  id: Type.String(),
  type: Type.String(),
  transports: Type.Array(Type.String()),
});

/** What of WebAuthn's PublicKeyCredentialCreationOptionsJSON is needed. */
export const PasskeyCreation = Type.Object(
  {
    challenge,
    timeout,
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.String(), alg: Type.Integer() })),
    excludeCredentials: Type.Array(known),
    authenticatorSelection: Type.Object({
      residentKey: Type.String(),
      requireResidentKey: Type.Boolean(),
      userVerification: Type.String(),
    }),
    attestation: Type.String(),
  },
  {
    title: 'PasskeyCreation',
    description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON` in the browser.',
  },
);
export type PasskeyCreation = Static<typeof PasskeyCreation>;

const bytes = Type.String({
  maxLength: 65_536,
  pattern: '^[A-Za-z0-9_-]*$',
  explain: 'Must be base64url, as the browser’s toJSON() gives it.',
});

const envelope = {
  id: bytes,
  rawId: bytes,
  type: Type.Literal('public-key', { explain: 'Must be public-key.' }),
};

/** Browsers send more than is needed, and that grows. */
export const PasskeyCreate = Closed(
  {
    name: Title({ description: 'For telling it from others.', examples: ['Phone'] }),
    credential: Type.Object(
      {
        ...envelope,
        response: Type.Object({
          clientDataJSON: bytes,
          attestationObject: bytes,
          transports: Type.Optional(
            Type.Array(
              Type.String({ maxLength: 32, pattern: '^[a-z0-9-]*$', explain: 'Must be a word.' }),
              {
                maxItems: 10,
                explain: 'Must be a list of at most 10 words.',
              },
            ),
          ),
        }),
      },
      { description: 'What the browser made of the options, by `toJSON()`.' },
    ),
  },
  { title: 'PasskeyCreate' },
);
export type PasskeyCreate = Static<typeof PasskeyCreate>;

export const PasskeySignIn = Type.Object(
  {
    ...envelope,
    response: Type.Object({
      clientDataJSON: bytes,
      authenticatorData: bytes,
      signature: bytes,
      userHandle: Type.Optional(bytes),
    }),
  },
  { title: 'PasskeySignIn', description: 'What the browser made of the options, by `toJSON()`.' },
);
export type PasskeySignIn = Static<typeof PasskeySignIn>;

import type { PasskeyCreate, PasskeyCreation } from '@berth/contract/passkeys';
import { generateRegistrationOptions, verifyRegistrationResponse } from '@simplewebauthn/server';
import type { Trx } from '../db/connection.ts';
import type { Deps, Person } from '../http/app-types.ts';
import { invalidFields } from '../problem.ts';
import { keepState, takeState } from '../sessions/states.ts';
import { listKnownCredentials, type NewPasskey } from './queries.ts';

const timeout = 300_000;
const rpName = 'Berth';

/** What the browser makes a passkey of. Its challenge is for this person only. */
export async function registrationOptions(
  { db, secretKey, publicUrl }: Deps,
  { userId, email, name: userName }: Person,
): Promise<PasskeyCreation> {
  const kept = { userId } satisfies KeptRegistration;
  const challenge = await keepState(db, secretKey, 'passkey-registration', kept);
  const theirs = await listKnownCredentials(db, userId);
  const options = await generateRegistrationOptions({
    rpName,
    rpID: publicUrl.hostname,
    userName: email,
    userDisplayName: userName,
    userID: new TextEncoder().encode(String(userId)),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout,
    // Found by the device itself, and unlocked by a person: it takes the place of both fields.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  const { rp, user, pubKeyCredParams } = options;
  return {
    challenge: options.challenge,
    timeout,
    rp: { id: rp.id ?? publicUrl.hostname, name: rp.name },
    user: { id: user.id, name: user.name, displayName: user.displayName },
    pubKeyCredParams: pubKeyCredParams.map(({ type, alg }) => ({ type, alg })),
    excludeCredentials: theirs.map(({ credential_id, transports }) => ({
      id: credential_id.toString('base64url'),
      type: 'public-key',
      transports,
    })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  };
}

interface KeptRegistration {
  userId: number;
}

/** What the browser made, once it is found good. Throws `validation_failed` (422). */
export async function readRegistration(
  trx: Trx,
  { secretKey, publicUrl }: Deps,
  { userId }: Person,
  { name, credential }: PasskeyCreate,
): Promise<NewPasskey> {
  const made = await verify();
  return {
    userId,
    credentialId: Buffer.from(made.id, 'base64url'),
    publicKey: Buffer.from(made.publicKey),
    counter: made.counter,
    transports: credential.response.transports ?? [],
    name,
  };

  async function verify() {
    try {
      const { registrationInfo } = await verifyRegistrationResponse({
        response: { ...credential, clientExtensionResults: {} },
        expectedChallenge: isTheirs,
        expectedOrigin: publicUrl.origin,
        expectedRPID: publicUrl.hostname,
        requireUserVerification: true,
      });
      if (registrationInfo && isShort(registrationInfo.credential.id)) {
        return registrationInfo.credential;
      }
    } catch {
      // The library's words are about bytes; what to do is the same for all of them.
    }
    const detail = 'Is not the answer to options of yours within ten minutes. Begin again.';
    throw invalidFields([{ pointer: '/credential', detail }]);
  }

  async function isTheirs(challenge: string): Promise<boolean> {
    const kind = 'passkey-registration';
    const kept = await takeState<KeptRegistration>(trx, secretKey, kind, challenge);
    return kept?.userId === userId;
  }
}

/** WebAuthn, "Credential ID": at most 1023 bytes. */
function isShort(id: string): boolean {
  return Buffer.byteLength(id, 'base64url') <= 1023;
}

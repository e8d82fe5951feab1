import type { PasskeyCreate, PasskeyCreation } from '@berth/contract/passkeys';
import type { Deps, Person } from '../callers/app-types.ts';
import { invalidFields } from '../problems/problem.ts';
import { keepState, takeState } from '../sessions/states.ts';
import { challengeOf } from './client-data.ts';
import { webAuthn, webAuthnHelpers } from './library.ts';
import { listKnownCredentials, type NewPasskey } from './queries.ts';

const timeout = 300_000;
const rpName = 'Berth';

/** Options with which the browser creates a passkey. The challenge is for this user only. */
export async function registrationOptions(
  { db, secretKey, publicUrl }: Deps,
  { userId, email, name: userName }: Person,
): Promise<PasskeyCreation> {
  const kept = { userId } satisfies KeptRegistration;
  const challenge = await keepState(db, secretKey, 'passkey-registration', kept);
  const theirs = await listKnownCredentials(db, userId);
  const { generateRegistrationOptions } = await webAuthn();
  const options = await generateRegistrationOptions({
    rpName,
    rpID: publicUrl.hostname,
    userName: email,
    userDisplayName: userName,
    userID: new TextEncoder().encode(String(userId)),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout,
    // It must be discoverable and verify the user, because it replaces both the email address and
    // the password.
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

/**
 * Verifies what the browser created. The challenge is used up in any case. Throws
 * `validation_failed` (422). Must not be called within the transaction that stores it.
 */
export async function readRegistration(
  { db, secretKey, publicUrl }: Deps,
  { userId }: Person,
  { name, credential }: PasskeyCreate,
): Promise<NewPasskey> {
  const challenge = challengeOf(credential.response.clientDataJSON);
  const kind = 'passkey-registration';
  const kept = await takeState<KeptRegistration>(db, secretKey, kind, challenge);
  const made = kept?.userId === userId ? await verify() : undefined;
  if (!made) {
    const detail =
      'Is not a response to your challenge, or the challenge has expired. Request new options.';
    throw invalidFields([{ pointer: '/credential', detail }]);
  }
  return {
    userId,
    credentialId: Buffer.from(made.id, 'base64url'),
    publicKey: Buffer.from(made.publicKey),
    counter: made.counter,
    transports: credential.response.transports ?? [],
    name,
  };

  async function verify() {
    const { verifyRegistrationResponse } = await webAuthn();
    try {
      await requireNoAttestation(credential.response.attestationObject);
      const { registrationInfo } = await verifyRegistrationResponse({
        response: { ...credential, clientExtensionResults: {} },
        expectedChallenge: challenge ?? '',
        expectedOrigin: publicUrl.origin,
        expectedRPID: publicUrl.hostname,
        requireUserVerification: true,
      });
      const found = registrationInfo?.credential;
      return found && isShort(found.id) ? found : undefined;
    } catch {
      // The errors of the library are about bytes. The advice is the same for all of them.
      return undefined;
    }
  }
}

/**
 * No attestation was requested, so a browser sends `none`, or one by the key itself: `packed`
 * without certificates (WebAuthn, "Attestation Conveyance Preference Enumeration" and "Create a New
 * Credential"). Anything else would require parsing untrusted certificates without need.
 */
async function requireNoAttestation(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await webAuthnHelpers();
  const bytes = new Uint8Array(Buffer.from(attestationObject, 'base64url'));
  const decoded = decodeAttestationObject(bytes);
  const format = decoded.get('fmt');
  const isBySelf = format === 'packed' && decoded.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isBySelf) throw new Error(`An attestation of ${format}.`);
}

/** WebAuthn, "Credential ID": at most 1023 bytes. */
function isShort(id: string): boolean {
  return Buffer.byteLength(id, 'base64url') <= 1023;
}

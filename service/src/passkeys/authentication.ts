import type { PasskeyRequest, PasskeySignIn } from '@berth/contract/passkeys';
import type { Deps } from '../callers/app-types.ts';
import { keepState, takeState } from '../sessions/states.ts';
import { challengeOf } from './client-data.ts';
import { webAuthn } from './library.ts';
import { findCredential } from './queries.ts';

const timeout = 300_000;

/** Options for any passkey, since the user is not known yet. */
export async function authenticationOptions({
  db,
  secretKey,
  publicUrl,
}: Deps): Promise<PasskeyRequest> {
  const challenge = await keepState(db, secretKey, 'passkey-sign-in', {});
  return { challenge, timeout, rpId: publicUrl.hostname, userVerification: 'required' };
}

export interface ProvenPasskey {
  id: number;
  userId: number;
  counter: number;
}

/**
 * The passkey that signed our challenge, which is used up in any case. If the signature is invalid,
 * the user whose passkey was tried, if there is one.
 */
export async function readAuthentication(
  { db, secretKey, publicUrl }: Deps,
  { response, ...body }: PasskeySignIn,
): Promise<{ proven: ProvenPasskey } | { proven: undefined; userId: number | null }> {
  const challenge = challengeOf(response.clientDataJSON);
  const kept = await takeState<object>(db, secretKey, 'passkey-sign-in', challenge);
  const found = await findCredential(db, Buffer.from(body.id, 'base64url'));
  if (!found) return { proven: undefined, userId: null };
  const { id, userId } = found;
  const counter = kept && isFor(userId) ? await newCounter(found) : undefined;
  if (counter === undefined) return { proven: undefined, userId };
  return { proven: { id, userId, counter } };

  /** Whether the device names this user. It need not name a user. */
  function isFor(theirs: number): boolean {
    const { userHandle } = response;
    if (!userHandle) return true;
    return Buffer.from(userHandle, 'base64url').toString() === String(theirs);
  }

  async function newCounter({ publicKey, counter: before }: NonNullable<typeof found>) {
    const { userHandle, ...signed } = response;
    const { verifyAuthenticationResponse } = await webAuthn();
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: {
          ...body,
          response: { ...signed, ...(userHandle !== undefined && { userHandle }) },
          clientExtensionResults: {},
        },
        expectedChallenge: challenge ?? '',
        expectedOrigin: publicUrl.origin,
        expectedRPID: publicUrl.hostname,
        credential: { id: body.id, publicKey: new Uint8Array(publicKey), counter: before },
        requireUserVerification: true,
      });
      return verified ? authenticationInfo.newCounter : undefined;
    } catch {
      // A counter that did not increase, another origin, invalid bytes: the client gets the same
      // error for all.
      return undefined;
    }
  }
}

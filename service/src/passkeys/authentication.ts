import type { PasskeyRequest, PasskeySignIn } from '@berth/contract/passkeys';
import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../http/app-types.ts';
import { signInFailed } from '../sessions/failures.ts';
import { keepState, takeState } from '../sessions/states.ts';
import { findCredential } from './queries.ts';

const timeout = 300_000;

/** For anybody: which passkey it will be is the browser's and the person's to say. */
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

/** The passkey that has signed our challenge. Throws `sign_in_failed` (401). */
export async function readAuthentication(
  request: FastifyRequest,
  { db, secretKey, publicUrl }: Deps,
  body: PasskeySignIn,
): Promise<ProvenPasskey> {
  const found = await findCredential(db, Buffer.from(body.id, 'base64url'));
  const counter = found && isFor(found.userId) ? await newCounter(found) : undefined;
  if (found && counter !== undefined) return { id: found.id, userId: found.userId, counter };
  const detail = 'The passkey is unknown here, or too much time has passed. Try again.';
  throw signInFailed(request, detail, found?.userId);

  /** Who the device says it is for; it need not say. */
  function isFor(userId: number): boolean {
    const { userHandle } = body.response;
    if (!userHandle) return true;
    return Buffer.from(userHandle, 'base64url').toString() === String(userId);
  }

  async function newCounter({ publicKey, counter: before }: NonNullable<typeof found>) {
    const { response } = body;
    const { userHandle, ...signed } = response;
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: {
          ...body,
          response: { ...signed, ...(userHandle !== undefined && { userHandle }) },
          clientExtensionResults: {},
        },
        expectedChallenge: async (challenge) =>
          (await takeState(db, secretKey, 'passkey-sign-in', challenge)) !== undefined,
        expectedOrigin: publicUrl.origin,
        expectedRPID: publicUrl.hostname,
        credential: { id: body.id, publicKey: new Uint8Array(publicKey), counter: before },
        requireUserVerification: true,
      });
      return verified ? authenticationInfo.newCounter : undefined;
    } catch {
      // A counter that did not grow, another origin, bytes that are none: alike for who asks.
      return undefined;
    }
  }
}

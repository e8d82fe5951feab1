import type { SignIn } from '@berth/contract/sessions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import type { IdempotentAnswer } from '../changes/idempotency.ts';
import type { Trx } from '../db/connection.ts';
import { addressOf } from '../lib/client-address.ts';
import { networkKey } from '../limits/credentials.ts';
import { listMemberships } from '../projects/members/queries.ts';
import { isPassword, known, stranger } from '../users/password.ts';
import { findCredentials, lockPasswordHash, lockUser } from '../users/queries.ts';
import { sessionCookie, setCookie } from './cookies.ts';
import { signInFailed } from './failures.ts';
import { isKnownNetwork, recordNetwork } from './network-queries.ts';
import { deleteSession, findSession, insertSession } from './queries.ts';
import { csrfToken, generateSecret, secretHash } from './secret.ts';
import { currentSessionView } from './view.ts';

const wrong = 'The email address or the password is wrong.';
const mostOfAUserAgent = 300;
/** The browser may delete the cookie after that; the session has ended by then. */
const cookieSeconds = 30 * 24 * 3600;

/** A user whose password was verified, and the hash that it was compared with. */
export interface ProvenPassword {
  userId: number;
  passwordHash: string;
}

/**
 * The user with this password. Throws `sign_in_failed` (401): with the same message and after the
 * same work, whether the email address or the password is wrong or the user was disabled.
 */
export async function userOfPassword(
  request: FastifyRequest,
  reply: FastifyReply,
  { db }: Deps,
  { email, password }: SignIn,
): Promise<ProvenPassword> {
  const address = addressOf(request);
  const isKnownHere = await isKnownNetwork(db, { email, address });
  await request.server.limits.admitPassword(request, reply, { email, isKnownHere });
  const { id: userId, passwordHash, isDisabled } = (await findCredentials(db, { email })) ?? {};
  const asker = isKnownHere ? known(networkKey(address)) : stranger(address);
  const fits = await isPassword(passwordHash, password, asker);
  if (userId && passwordHash && fits && !isDisabled) return { userId, passwordHash };
  throw signInFailed(request, wrong, userId);
}

/**
 * Throws as `userOfPassword` if the password was changed since: the old one must no longer work.
 */
export async function requireSamePassword(
  request: FastifyRequest,
  trx: Trx,
  { userId, passwordHash }: ProvenPassword,
): Promise<number> {
  if ((await lockPasswordHash(trx, userId)) === passwordHash) return userId;
  throw signInFailed(request, wrong, userId);
}

/**
 * Signs in a user who has authenticated. The session is always new, and the browser's previous one
 * ends, so that nobody can plant a session. `who` finds or creates the user in the same
 * transaction. `provenAt` is when they authenticated, if not now.
 */
export async function signIn(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
  who: (trx: Trx) => Promise<number>,
  provenAt?: Date,
): Promise<IdempotentAnswer<ReturnType<typeof currentSessionView>>> {
  const secret = generateSecret();
  const hash = secretHash(secret);
  const before = sessionCookie(request, deps.publicUrl);
  const answer = await change(request, deps, async ({ trx }) => {
    const userId = await who(trx);
    // A change that ends all sessions of a user ends this one too, or is seen here.
    await lockUser(trx, userId);
    if (before !== undefined) await deleteSession(trx, { hash: secretHash(before) });
    const userAgent = (request.headers['user-agent'] ?? '').slice(0, mostOfAUserAgent);
    const address = addressOf(request);
    await insertSession(trx, { hash, userId, address, userAgent, provenAt });
    await recordNetwork(trx, userId, address);
    const session = await findSession(trx, hash);
    // The user was disabled just now.
    if (!session) throw signInFailed(request, 'This user is shut out.', userId);
    const memberships = await listMemberships(trx, userId);
    const body = currentSessionView(session, memberships, csrfToken(deps.secretKey, hash));
    return { status: 201, body, target: { kind: 'user', id: userId }, userId };
  });
  request.server.limits.refundAttempts(request);
  setCookie(reply, deps.publicUrl, { name: 'berth', value: secret, seconds: cookieSeconds });
  return answer;
}

/** Removes the cookie. */
export function clearCookie(reply: FastifyReply, publicUrl: URL): void {
  setCookie(reply, publicUrl, { name: 'berth', value: '', seconds: 0 });
}

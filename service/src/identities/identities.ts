import { emailPattern } from '@berth/contract/users';
import type { FastifyRequest } from 'fastify';
import type { Trx } from '../db/connection.ts';
import { emailKey } from '../lib/email.ts';
import { signInFailed } from '../sessions/failures.ts';
import { insertUser, isEmailTaken } from '../users/queries.ts';
import type { Claims } from './provider.ts';
import {
  findUserOfIdentity,
  findUserWithoutCredentials,
  insertIdentity,
  lockIdentity,
} from './queries.ts';

const mostOfAName = 100;

/**
 * The user who has signed in at the provider: found by the provider's identifier, or created at the first sign-in. If
 * only some domains are allowed, the address that the provider returns now must be in one of them. Throws
 * `sign_in_failed` (401).
 */
export async function userOfClaims(
  request: FastifyRequest,
  trx: Trx,
  claims: Claims,
  allowedDomains: readonly string[],
): Promise<number> {
  await lockIdentity(trx, claims);
  const known = await findUserOfIdentity(trx, claims);
  if (!known) return await firstSignIn(request, trx, claims, allowedDomains);
  if (known.isDisabled) {
    throw signInFailed(request, 'This user is shut out. Ask an administrator.', known.id);
  }
  // The list of allowed domains may have changed since the first sign-in.
  if (allowedDomains.length > 0) acceptableEmail(request, claims, allowedDomains, known.id);
  return known.id;
}

async function firstSignIn(
  request: FastifyRequest,
  trx: Trx,
  claims: Claims,
  allowedDomains: readonly string[],
): Promise<number> {
  const email = acceptableEmail(request, claims, allowedDomains);
  const userId = (await isEmailTaken(trx, email))
    ? await userMadeForThis(request, trx, email)
    : await insertUser(trx, {
        email,
        name: nameOf(claims, email),
        passwordHash: null,
        isAdmin: false,
      });
  await insertIdentity(trx, claims, userId);
  return userId;
}

function acceptableEmail(
  request: FastifyRequest,
  { email, isEmailVerified }: Claims,
  domains: readonly string[],
  userId: number | null = null,
): string {
  if (email === undefined || !new RegExp(emailPattern).test(email)) {
    throw signInFailed(request, 'The provider names no email address for you.', userId);
  }
  if (!isEmailVerified)
    throw signInFailed(request, 'The provider has not verified your email address.', userId);
  const domain = emailKey(email).replace(/^.*@/, '');
  if (domains.length === 0 || domains.includes(domain)) return email;
  const detail =
    'Email addresses of this domain may not sign in here. Ask an administrator, who allows domains by BERTH_OIDC_ALLOWED_DOMAINS.';
  throw signInFailed(request, detail, userId);
}

/**
 * Finds the user whom an administrator added without a password, to link the identity to. A user who can sign in in
 * another way may be somebody else than the person at the provider.
 */
async function userMadeForThis(request: FastifyRequest, trx: Trx, email: string): Promise<number> {
  const found = await findUserWithoutCredentials(trx, email);
  if (found?.isWithout) return found.id;
  throw signInFailed(
    request,
    'Your email address belongs to a user who signs in in another way. Sign in as before.',
  );
}

function nameOf({ name }: Claims, email: string): string {
  const text = (name ?? '')
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, mostOfAName);
  return text || email.replace(/@.*$/, '');
}

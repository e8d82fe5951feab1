import { emailPattern } from '@berth/contract/users';
import type { FastifyRequest } from 'fastify';
import type { Trx } from '../db/connection.ts';
import { emailKey } from '../lib/email.ts';
import { insertUser, isEmailTaken } from '../users/queries.ts';
import { failed } from './failures.ts';
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
 * a `SignInFailure`.
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
    throw failed(request, 'user_disabled', known.id);
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
    throw failed(request, 'email_missing', userId);
  }
  if (!isEmailVerified) throw failed(request, 'email_unverified', userId);
  const domain = emailKey(email).replace(/^.*@/, '');
  if (domains.length === 0 || domains.includes(domain)) return email;
  throw failed(request, 'domain_not_allowed', userId);
}

/**
 * Finds the user whom an administrator added without a password, to link the identity to. A user who can sign in in
 * another way may be somebody else than the person at the provider.
 */
async function userMadeForThis(request: FastifyRequest, trx: Trx, email: string): Promise<number> {
  const found = await findUserWithoutCredentials(trx, email);
  if (found?.isWithout) return found.id;
  throw failed(request, 'email_in_use');
}

function nameOf({ name }: Claims, email: string): string {
  const text = (name ?? '')
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, mostOfAName);
  return text || email.replace(/@.*$/, '');
}

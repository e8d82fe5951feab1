import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../db/connection.ts';
import { addressOf } from '../lib/client-address.ts';
import { counted } from '../lib/counted.ts';
import { isSafe } from '../lib/methods.ts';
import { codeOf } from '../problems/answers.ts';
import { Problem, type ProblemCode, problems } from '../problems/problem.ts';
import { coerceValue } from '../requests/bodies/coercion.ts';
import type { BucketState } from './buckets.ts';
import { type ChangeLimits, limitChanges } from './changes.ts';
import { accountKey, addressKey, networkKey, tokenKey, userKey } from './credentials.ts';
import { setRateLimitHeaders } from './headers.ts';
import { batchTokenLookups } from './known-tokens.ts';
import type { Limiter, Policy } from './limiter.ts';
import { delayRefusal } from './refusal-delay.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly limits: RequestLimits;
  }
}

/** The limits that authentication applies. Each function throws 429 when its limit is reached. */
export interface RequestLimits extends ChangeLimits {
  /** Checks the limit of a token, before the token is looked up. */
  admit(request: FastifyRequest, reply: FastifyReply, hash: Buffer): Promise<void>;
  /** Counts a request whose token is valid. */
  count(request: FastifyRequest, reply: FastifyReply, hash: Buffer): void;
  /**
   * Corrects the count before the answer is sent: an action that was refused as a client error, or
   * that was a dry run, becomes a read, unless the dry run of its route counts as an action.
   */
  settle(request: FastifyRequest, reply: FastifyReply): void;
  /**
   * Counts a request to a public route. On sign-in routes it is also an attempt, until
   * `refundAttempts`.
   */
  admitPublic(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Counts an attempt to name the code of a program that asks for a token, by address and by caller. */
  admitCode(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Counts an attempt to confirm a session, by address and by user. */
  admitConfirmation(request: FastifyRequest, reply: FastifyReply, userId: number): Promise<void>;
  /**
   * Counts an attempt to sign in with a password, in addition to `admitPublic`. Networks from which
   * the user has signed in before are exempt: otherwise anybody could lock the user out. Treats all
   * email addresses alike, whether or not they are known.
   */
  admitPassword(request: FastifyRequest, reply: FastifyReply, who: PasswordAttempt): Promise<void>;
  /** Counts a request to an unknown route: it is answered with 404 without a token. */
  admitNotFound(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Gives back the attempts of a request that did authenticate. */
  refundAttempts(request: FastifyRequest): void;
  /**
   * Counts a request that reveals whether an email address is known, by user, whatever its result.
   */
  admitEmailLookup(reply: FastifyReply, userId: number): Promise<void>;
  /** Counts a request that failed with an authentication error. Returns the error to throw. */
  countFailure(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<unknown>;
}

interface PasswordAttempt {
  email: string;
  /** Whether the user has signed in from this network before. */
  isKnownHere: boolean;
}

/**
 * Errors that count as failed authentication. A missing token does not count, because people open pages without one.
 */
const failures = new Set<ProblemCode>([
  'token_malformed',
  'token_invalid',
  'token_expired',
  'session_ended',
  'network_not_allowed',
]);

/**
 * Statuses of client errors: malformed, not acceptable, too large, unsupported media type, invalid.
 * Such requests changed nothing, and somebody who is correcting them should not be locked out.
 */
const mistakes = new Set([400, 406, 413, 415, 422]);

/**
 * Refuses a token that is over its limit without a query. Once an address has sent too many bad
 * tokens, its unknown tokens are refused as well; whether a token is known is then looked up in
 * batches, so that valid tokens from that address are let through a moment later.
 */
export function limitRequests(limiter: Limiter, db: Db): RequestLimits {
  const isKnown = batchTokenLookups(db);

  async function delayedRefusal(
    reply: FastifyReply,
    policy: Policy,
    state: BucketState,
  ): Promise<Problem> {
    await delayRefusal();
    return refusal(reply, policy, state);
  }

  function refusal(reply: FastifyReply, policy: Policy, state: BucketState): Problem {
    setRateLimitHeaders(reply, policy, limiter.limitOf(policy), state);
    const retryAfter = Math.max(1, Math.ceil(state.retryAfterSeconds));
    return new Problem('rate_limited', refusalMessage(policy, limiter, retryAfter), { retryAfter });
  }

  async function take(reply: FastifyReply, policy: Policy, key: string, count = 1): Promise<void> {
    const state = limiter.take(policy, key, count);
    if (!state.isAllowed) throw await delayedRefusal(reply, policy, state);
  }

  /** The bucket keys of requests that were counted as actions. */
  const actions = new WeakMap<FastifyRequest, string>();
  const attempts = new WeakMap<FastifyRequest, [Policy, string][]>();

  /**
   * Counts an attempt before its result is known, so that concurrent requests make no more attempts
   * than may fail.
   */
  async function takeAttempt(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    policy: Policy = 'attempts',
  ) {
    await take(reply, policy, key);
    attempts.set(request, [...(attempts.get(request) ?? []), [policy, key]]);
  }

  return {
    ...limitChanges(limiter),
    async admit(request, reply, hash) {
      const [key, policy] = [tokenKey(hash), policyOf(request)];
      const state = limiter.peek(policy, key);
      if (!state.isAllowed) throw await delayedRefusal(reply, policy, state);
      if (limiter.isInUse(key)) return;
      const ofAddress = limiter.peek('failures', addressKey(addressOf(request)));
      if (ofAddress.isAllowed || (await isKnown(hash))) return;
      throw refusal(reply, 'failures', ofAddress);
    },
    count(request, reply, hash) {
      const [key, policy] = [tokenKey(hash), policyOf(request)];
      const state = limiter.take(policy, key);
      if (!state.isAllowed) throw refusal(reply, policy, state);
      if (policy === 'actions') actions.set(request, key);
      setRateLimitHeaders(reply, policy, limiter.limitOf(policy), state);
    },
    settle(request, reply) {
      const key = actions.get(request);
      if (key === undefined || !(isMistake(request) || isReadInBody(request))) return;
      actions.delete(request);
      const state = limiter.take('reads', key);
      // If no reads are left, it stays counted as an action.
      if (!state.isAllowed) return;
      limiter.refund('actions', key);
      setRateLimitHeaders(reply, 'reads', limiter.limitOf('reads'), state);
    },
    async admitPublic(request, reply) {
      const key = addressKey(addressOf(request));
      const { canRefuse, beginsSignIn, countsAs } = request.routeOptions.config;
      await take(reply, 'public', key, countsAs);
      if (beginsSignIn) return await take(reply, 'sign_in_starts', key);
      // Reading something public, such as the health, is not an attempt to authenticate.
      if (policyOf(request) === 'reads' && !canRefuse) return;
      await takeAttempt(request, reply, key);
    },
    admitNotFound: (request, reply) => take(reply, 'public', addressKey(addressOf(request))),
    async admitCode(request, reply) {
      const { tokenId, userId } = request.caller;
      // Somebody who guesses may have many addresses.
      await takeAttempt(request, reply, userId === null ? `token ${tokenId}` : userKey(userId));
      await takeAttempt(request, reply, addressKey(addressOf(request)));
    },
    async admitConfirmation(request, reply, userId) {
      // A thief of a session may have many addresses, so the user is counted too.
      await takeAttempt(request, reply, userKey(userId));
      await takeAttempt(request, reply, addressKey(addressOf(request)));
    },
    async admitPassword(request, reply, { email, isKnownHere }) {
      if (isKnownHere) return;
      const network = networkKey(addressOf(request));
      await takeAttempt(request, reply, network, 'networks');
      const account = accountKey(email);
      // Somebody who has used up the attempts of an account leaves each other network a few of its
      // own.
      const hasLeft = limiter.peek('accounts', account).isAllowed;
      if (hasLeft) return await takeAttempt(request, reply, account, 'accounts');
      await takeAttempt(request, reply, accountKey(email, network), 'strangers');
    },
    refundAttempts(request) {
      for (const [policy, key] of attempts.get(request) ?? []) limiter.refund(policy, key);
      attempts.delete(request);
    },
    admitEmailLookup: (reply, userId) => take(reply, 'attempts', userKey(userId)),
    async countFailure(request, reply, error) {
      if (!(error instanceof Problem && failures.has(error.code))) return error;
      const state = limiter.take('failures', addressKey(addressOf(request)));
      return state.isAllowed ? error : await delayedRefusal(reply, 'failures', state);
    },
  };
}

/** The policy that counts a request when it arrives. Its body has not been read then. */
function policyOf({ method, query, routeOptions }: FastifyRequest): Policy {
  const isRead = isSafe(method) || isDryRun(query) || routeOptions.config.countsAsRead === true;
  return isRead ? 'reads' : 'actions';
}

/** Whether a query or a body asks for a dry run. Routes without `dry_run` refuse it. */
function isDryRun(part: unknown): boolean {
  const { dry_run: dryRun } = (part ?? {}) as { dry_run?: unknown };
  return coerceValue({ type: 'boolean' }, dryRun) === true;
}

/** Whether a body asks for a dry run that counts as a read. */
function isReadInBody({ body, routeOptions }: FastifyRequest): boolean {
  return isDryRun(body) && routeOptions.config.dryRunCountsAsAction !== true;
}

function isMistake(request: FastifyRequest): boolean {
  const code = codeOf(request);
  return code !== undefined && mistakes.has(problems[code][0]);
}

function refusalMessage(policy: Policy, limiter: Limiter, seconds: number): string {
  const { burst, perSecond } = limiter.limitOf(policy);
  const again = `Try again in ${counted(seconds, 'second')}.`;
  const slowly = `The limit is ${Math.round(perSecond * 60)} per minute, with a burst of ${burst}.`;
  if (policy === 'failures') {
    return `This address has sent too many invalid tokens or cookies of ended sessions. ${slowly} ${again}`;
  }
  if (policy === 'attempts') {
    return `There were too many attempts to sign in, to confirm a sign-in, to enter a code or to add members from this address or as this user. ${slowly} ${again}`;
  }
  if (policy === 'networks') {
    return `There were too many attempts to sign in from this network. ${slowly} ${again}`;
  }
  if (policy === 'strangers') {
    return `There were too many attempts to sign in with this email address, which has not been used recently from this network. ${again}`;
  }
  if (policy === 'sign_in_starts') {
    return `Too many sign-ins were begun from this address. ${slowly} ${again}`;
  }
  if (policy === 'public') {
    return `This address has sent too many requests without a token, or to unknown paths. The limit is ${perSecond} per second, with a burst of ${burst}. ${again}`;
  }
  return `This token can make ${perSecond} ${policy} per second, with a burst of ${burst}. ${again}`;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../db/connection.ts';
import { addressOf } from '../lib/client-address.ts';
import { counted } from '../lib/counted.ts';
import { isSafe } from '../lib/methods.ts';
import { codeOf } from '../problems/answers.ts';
import { Problem, type ProblemCode, problems } from '../problems/problem.ts';
import { coerceValue } from '../requests/bodies/coercion.ts';
import type { Standing } from './buckets.ts';
import { type ChangeLimits, limitChanges } from './changes.ts';
import { accountKey, addressKey, networkKey, tokenKey, userKey } from './credentials.ts';
import { showStanding } from './headers.ts';
import { askTogether } from './known-tokens.ts';
import type { Limiter, Policy } from './limiter.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly limits: RequestLimits;
  }
}

/** The limits as authentication meets them; each throws 429. */
export interface RequestLimits extends ChangeLimits {
  /** Before a token is looked up. */
  admit(request: FastifyRequest, reply: FastifyReply, hash: Buffer): Promise<void>;
  /** Once the token was found good. */
  count(request: FastifyRequest, reply: FastifyReply, hash: Buffer): void;
  /** Before the answer is sent: an action that was refused as a mistake becomes a read. */
  settle(request: FastifyRequest, reply: FastifyReply): void;
  /** On every public route; where people sign in, as a try until `succeeded`. */
  admitPublic(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Where who signed in proves once more who they are: as a try, and by the user, too. */
  admitGuess(request: FastifyRequest, reply: FastifyReply, userId: number): Promise<void>;
  /**
   * Where somebody signs in with a password, besides `admitPublic`. From where their person signed in
   * before it holds nobody up: else anybody could keep them out. Asks alike of any email address.
   */
  admitPassword(request: FastifyRequest, reply: FastifyReply, who: PasswordTry): Promise<void>;
  /** For what there is not: whoever asks for it needs no token, and is told so all the same. */
  admitUnknown(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Gives back the tries of a request that has proved who somebody is. */
  succeeded(request: FastifyRequest): void;
  /** Where somebody learns whether an email address is known: by the user alone, whatever comes of it. */
  admitSearch(reply: FastifyReply, userId: number): Promise<void>;
  /** When there was an error instead; answers the one to throw. */
  countFailure(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<unknown>;
}

interface PasswordTry {
  email: string;
  /** Whether its person signed in from this network before. */
  isKnownHere: boolean;
}

/** What tells of somebody who tries. Sending no token at all is how a person looks at a page. */
const failures = new Set<ProblemCode>([
  'token_malformed',
  'token_invalid',
  'token_expired',
  'session_ended',
  'network_not_allowed',
]);

/**
 * Statuses of requests that were refused for what they say: malformed, not acceptable, too large, of
 * another media type, invalid. They changed nothing, and who corrects them is not to be locked out.
 */
const mistakes = new Set([400, 406, 413, 415, 422]);

/**
 * A refusal is held so long. Who waits as it says loses nothing by that, and who asks again at once
 * does it far less often, and costs the others less. Not all equally long: what came together would
 * come back together.
 */
const heldMs = { least: 100, most: 300 };

/**
 * A token that is over its limit is refused without a query. So are the unknown tokens of an
 * address that sent too many bad ones: whether one is unknown is then asked for all such requests
 * together, so that who holds a good token is let through from there too, a moment later.
 */
export function limitRequests(limiter: Limiter, db: Db): RequestLimits {
  const isKnown = askTogether(db);

  async function held(reply: FastifyReply, policy: Policy, standing: Standing): Promise<Problem> {
    await sleep(heldMs.least + Math.random() * (heldMs.most - heldMs.least));
    return refusal(reply, policy, standing);
  }

  function refusal(reply: FastifyReply, policy: Policy, standing: Standing): Problem {
    showStanding(reply, policy, limiter.limitOf(policy), standing);
    const retryAfter = Math.max(1, Math.ceil(standing.nextInSeconds));
    return new Problem('rate_limited', words(policy, limiter, retryAfter), { retryAfter });
  }

  async function take(reply: FastifyReply, policy: Policy, key: string, count = 1): Promise<void> {
    const standing = limiter.take(policy, key, count);
    if (!standing.isWithin) throw await held(reply, policy, standing);
  }

  /** The key of a request that was counted as an action. */
  const actions = new WeakMap<FastifyRequest, string>();
  const tries = new WeakMap<FastifyRequest, [Policy, string][]>();

  /** Before it is known what comes of it: of many at once, no more are looked at than may fail. */
  async function takeTry(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    policy: Policy = 'tries',
  ) {
    await take(reply, policy, key);
    tries.set(request, [...(tries.get(request) ?? []), [policy, key]]);
  }

  return {
    ...limitChanges(limiter),
    async admit(request, reply, hash) {
      const [key, policy] = [tokenKey(hash), policyOf(request)];
      const standing = limiter.look(policy, key);
      if (!standing.isWithin) throw await held(reply, policy, standing);
      if (limiter.isInUse(key)) return;
      const ofAddress = limiter.look('failures', addressKey(addressOf(request)));
      if (ofAddress.isWithin || (await isKnown(hash))) return;
      throw refusal(reply, 'failures', ofAddress);
    },
    count(request, reply, hash) {
      const [key, policy] = [tokenKey(hash), policyOf(request)];
      const standing = limiter.take(policy, key);
      if (!standing.isWithin) throw refusal(reply, policy, standing);
      if (policy === 'actions') actions.set(request, key);
      showStanding(reply, policy, limiter.limitOf(policy), standing);
    },
    settle(request, reply) {
      const key = actions.get(request);
      const code = codeOf(request);
      if (key === undefined || code === undefined || !mistakes.has(problems[code][0])) return;
      actions.delete(request);
      const standing = limiter.take('reads', key);
      // Whoever has used up their reads pays for their mistakes with actions.
      if (!standing.isWithin) return;
      limiter.giveBack('actions', key);
      showStanding(reply, 'reads', limiter.limitOf('reads'), standing);
    },
    async admitPublic(request, reply) {
      const key = addressKey(addressOf(request));
      const { canRefuse, beginsSignIn, countsAs } = request.routeOptions.config;
      await take(reply, 'public', key, countsAs);
      if (beginsSignIn) return await take(reply, 'beginnings', key);
      // What only shows something, such as the health, proves nothing.
      if (policyOf(request) === 'reads' && !canRefuse) return;
      await takeTry(request, reply, key);
    },
    admitUnknown: (request, reply) => take(reply, 'public', addressKey(addressOf(request))),
    async admitGuess(request, reply, userId) {
      // Who has a stolen session may have many addresses.
      await takeTry(request, reply, userKey(userId));
      await takeTry(request, reply, addressKey(addressOf(request)));
    },
    async admitPassword(request, reply, { email, isKnownHere }) {
      if (isKnownHere) return;
      const network = networkKey(addressOf(request));
      await takeTry(request, reply, network, 'networks');
      const account = accountKey(email);
      // Whoever uses an account up leaves each other network a few tries of its own.
      const hasLeft = limiter.look('accounts', account).isWithin;
      if (hasLeft) return await takeTry(request, reply, account, 'accounts');
      await takeTry(request, reply, accountKey(email, network), 'strangers');
    },
    succeeded(request) {
      for (const [policy, key] of tries.get(request) ?? []) limiter.giveBack(policy, key);
      tries.delete(request);
    },
    admitSearch: (reply, userId) => take(reply, 'tries', userKey(userId)),
    async countFailure(request, reply, error) {
      if (!(error instanceof Problem && failures.has(error.code))) return error;
      const standing = limiter.take('failures', addressKey(addressOf(request)));
      return standing.isWithin ? error : await held(reply, 'failures', standing);
    },
  };
}

/** A dry run changes nothing. Routes that know no `dry_run` refuse it. */
function policyOf({ method, query, routeOptions }: FastifyRequest): Policy {
  const { dry_run: dryRun } = (query ?? {}) as { dry_run?: unknown };
  const isDryRun = coerceValue({ type: 'boolean' }, dryRun) === true;
  const isRead = isSafe(method) || isDryRun || routeOptions.config.countsAsRead === true;
  return isRead ? 'reads' : 'actions';
}

function words(policy: Policy, limiter: Limiter, seconds: number): string {
  const { burst, perSecond } = limiter.limitOf(policy);
  const again = `Try again in ${counted(seconds, 'second')}.`;
  const slowly = `The limit is ${Math.round(perSecond * 60)} per minute, with a burst of ${burst}.`;
  if (policy === 'failures') {
    return `This address has sent too many invalid tokens or cookies of ended sessions. ${slowly} ${again}`;
  }
  if (policy === 'tries') {
    return `There were too many attempts to sign in, to confirm a sign-in or to add members from this address or as this user. ${slowly} ${again}`;
  }
  if (policy === 'networks') {
    return `There were too many attempts to sign in from this network. ${slowly} ${again}`;
  }
  if (policy === 'strangers') {
    return `There were too many attempts to sign in with this email address, which has not been used recently from this network. ${again}`;
  }
  if (policy === 'beginnings') {
    return `Too many sign-ins were begun from this address. ${slowly} ${again}`;
  }
  if (policy === 'public') {
    return `This address has sent too many requests without a token, or to unknown paths. The limit is ${perSecond} per second, with a burst of ${burst}. ${again}`;
  }
  return `This token can make ${perSecond} ${policy} per second, with a burst of ${burst}. ${again}`;
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, personOf } from '../access/authentication.ts';
import { addressOf } from '../lib/client-address.ts';
import { counted } from '../lib/counted.ts';
import { addressKey } from '../limits/credentials.ts';
import { costlyDelayMs, delayRefusal } from '../limits/refusal-delay.ts';
import { Problem } from '../problems/problem.ts';
import { whenClosed } from './when-closed.ts';

/** Limits the large answers that slow readers keep in memory. */
export interface Places {
  /**
   * Takes a place for an answer until it is sent or its connection ends. Throws `rate_limited`
   * (429) if the caller has the maximum, and `unavailable` (503) if all are taken.
   */
  take(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** Seconds. */
const retryAfter = 2;

/** What the places are for, in sentences. */
export interface Wording {
  one: string;
  several: string;
  /** The preposition before the caller. */
  to: string;
  /** What to do about too many. */
  advice: string;
  /** Why there is no place for anybody. */
  busy: string;
}

const largeAnswers: Wording = {
  one: 'large answer is being sent',
  several: 'large answers are being sent',
  to: 'to',
  advice: 'Read them to their end first, or ask for less of a list with limit.',
  busy: 'The service is sending the maximum number of large responses.',
};

/**
 * @param refused receives whose limit was reached each time: `token`, `project`, ..., or `all`
 */
export function createPlaces(
  most: number,
  refused: (share: string) => void,
  words = largeAnswers,
): Places {
  const taken = new Map<string, number>();

  function change(key: string, by: number): void {
    const count = (taken.get(key) ?? 0) + by;
    if (count > 0) taken.set(key, count);
    else taken.delete(key);
  }

  return {
    async take(request, reply) {
      const shares = sharesOf(request, most, words);
      const full = shares.find(({ key, most }) => (taken.get(key) ?? 0) >= most);
      if (full) {
        refused(full.who);
        await delayRefusal(costlyDelayMs);
        throw full.refusal();
      }
      for (const { key } of shares) change(key, 1);
      whenClosed(reply.raw, () => {
        for (const { key } of shares) change(key, -1);
      });
    },
  };
}

interface Share {
  who: string;
  key: string;
  most: number;
  refusal: () => Problem;
}

/**
 * A token, a signed-in user or an address can have a tenth of all, a project a third, and all unauthenticated clients
 * together a fifth.
 */
function sharesOf(request: FastifyRequest, most: number, words: Wording): Share[] {
  const part = (parts: number) => Math.max(1, Math.floor(most / parts));
  const { tokenId, project } = callerOf(request) ?? {};
  const userId = personOf(request)?.userId;
  const share = (who: string, id: unknown, count: number): Share => ({
    ...{ who, key: `${who} ${id}`, most: count },
    refusal: () => tooMany(who, count, words),
  });
  const shared = (who: string, count: number): Share => ({
    ...{ who, key: who, most: count },
    refusal: () => busy(words),
  });
  const all = shared('all', most);
  if (!tokenId && !userId) {
    const address = share('address', addressKey(addressOf(request)), part(10));
    return [address, shared('anonymous', part(5)), all];
  }
  const known = tokenId ? share('token', tokenId, part(10)) : share('user', userId, part(10));
  return project ? [known, share('project', project.id, part(3)), all] : [known, all];
}

function tooMany(who: string, count: number, { one, several, to, advice }: Wording): Problem {
  const detail =
    `${counted(count, one, several)} ${to} this ${who}, which is as many as it may have at once. ` +
    advice;
  return new Problem('rate_limited', detail, { retryAfter });
}

function busy({ busy: why }: Wording): Problem {
  return new Problem('unavailable', `${why} Try again.`, { retryAfter });
}

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { type NotificationListener, notify } from '../db/notifications.ts';
import { withoutClaim } from '../db/queue/claim.ts';
import { inTurn } from '../lib/in-turn.ts';
import { type Limiter, type Policy, policies, type Taking } from './limiter.ts';

const tellAfterMs = 200;
/** PostgreSQL takes less than 8000 bytes; an entry has 60 at most. */
const mostInOne = 100;

interface Means {
  db: Db;
  notifications: NotificationListener;
  log: Logger;
}

/**
 * Has the services of a database share their limits: each tells the others a few times a second
 * what it let through, and takes off its own buckets what they tell. What is lost is not told
 * again: it would be back in the buckets soon.
 */
export function exchangeTakings(limiter: Limiter, { db, notifications, log }: Means): Limiter {
  const self = randomUUID();
  const untold = new Map<string, { policy: Policy; key: string; count: number }>();
  let timer: NodeJS.Timeout | undefined;
  const telling = inTurn();

  limiter.onTaken((policy, key, count) => {
    const id = `${policy} ${key}`;
    const taking = untold.get(id) ?? { policy, key, count: 0 };
    taking.count += count;
    untold.set(id, taking);
    timer ??= withoutClaim(() => setTimeout(tell, tellAfterMs).unref());
  });

  function tell(): void {
    timer = undefined;
    const takings = [...untold.values()]
      .filter(({ count }) => count !== 0)
      .map((t): Taking => [t.policy, t.key, t.count]);
    untold.clear();
    telling.add(
      () => send(takings),
      (error) =>
        log.debug({ err: error }, 'The used limits could not be sent to the other services.'),
    );
  }

  async function send(takings: Taking[]): Promise<void> {
    for (let at = 0; at < takings.length; at += mostInOne) {
      const taken = takings.slice(at, at + mostInOne);
      await notify(db, 'limits_taken', { from: self, taken });
    }
  }

  const off = notifications.on('limits_taken', ({ from, taken }) => {
    if (from !== self) limiter.charge(taken.filter(isOfKnownPolicy));
  });

  return {
    ...limiter,
    async stop() {
      off();
      clearTimeout(timer);
      await telling.idle();
    },
  };
}

/** A newer service may limit more. */
function isOfKnownPolicy(taking: readonly [string, string, number]): taking is Taking {
  return (policies as readonly string[]).includes(taking[0]);
}

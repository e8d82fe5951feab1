import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { type NotificationListener, notify } from '../db/notifications.ts';
import { withoutClaim } from '../db/queue/claim.ts';
import { inTurn } from '../lib/in-turn.ts';
import { type Limiter, type Policy, policies, type Taking } from './limiter.ts';

const flushMs = 200;
/** A notification of PostgreSQL is shorter than 8,000 bytes, and an entry has 60 at most. */
const maxPerNotification = 100;

interface Means {
  db: Db;
  notifications: NotificationListener;
  log: Logger;
}

/**
 * Makes the services of a database share their limits. Several times a second, each service notifies the others of the
 * tokens that it took from its buckets, and takes the same from its own when it is notified. A lost notification is not
 * sent again, since the buckets are refilled within seconds.
 */
export function shareLimits(limiter: Limiter, { db, notifications, log }: Means): Limiter {
  const self = randomUUID();
  const pending = new Map<string, { policy: Policy; key: string; count: number }>();
  let timer: NodeJS.Timeout | undefined;
  const sending = inTurn();

  limiter.onTaken((policy, key, count) => {
    const id = `${policy} ${key}`;
    const taking = pending.get(id) ?? { policy, key, count: 0 };
    taking.count += count;
    pending.set(id, taking);
    timer ??= withoutClaim(() => setTimeout(flush, flushMs).unref());
  });

  function flush(): void {
    timer = undefined;
    const takings = [...pending.values()]
      .filter(({ count }) => count !== 0)
      .map((t): Taking => [t.policy, t.key, t.count]);
    pending.clear();
    sending.add(
      () => send(takings),
      (error) =>
        log.debug({ err: error }, 'The used limits could not be sent to the other services.'),
    );
  }

  async function send(takings: Taking[]): Promise<void> {
    for (let at = 0; at < takings.length; at += maxPerNotification) {
      const taken = takings.slice(at, at + maxPerNotification);
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
      await sending.idle();
    },
  };
}

/** A newer service may have policies that this one does not know. */
function isOfKnownPolicy(taking: readonly [string, string, number]): taking is Taking {
  return (policies as readonly string[]).includes(taking[0]);
}

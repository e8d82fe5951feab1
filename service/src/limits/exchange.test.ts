import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { listenForNotifications, notify } from '../db/notifications.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { shareLimits } from './exchange.ts';
import { createLimiter, type Limiter } from './limiter.ts';

const log = pino({ level: 'silent' });
const { db, connectionString, close } = await createTestDatabase();
const notifications = listenForNotifications(connectionString, log);
const limit = { burst: 1000, perSecond: 0.000_001 };
const limits = {
  reads: limit,
  actions: limit,
  failures: limit,
  public: limit,
  attempts: limit,
  sign_in_starts: limit,
  networks: limit,
  accounts: limit,
  strangers: limit,
  changes: limit,
  projects: limit,
};
const shared = (): Limiter => shareLimits(createLimiter(limits), { db, notifications, log });
const [a, b] = [shared(), shared()];

after(async () => {
  await Promise.all([a.stop(), b.stop()]);
  await notifications.close();
  await close();
});

const left = (limiter: Limiter, key: string) => limiter.peek('actions', key).remaining;

/** Waits until each service has so many of 1,000 tokens left. */
const untilLeft = (look: () => number[], ...wanted: number[]) =>
  until(`${wanted} are left`, look, (seen) => seen.join() === wanted.join());

/**
 * A notification that is sent before the other service listens is lost, so this sends until one
 * arrives.
 */
test('requests that one service accepts are counted once by the other, and not again by the first', async () => {
  await until('a notification arrives', () => {
    a.take('actions', 'warm-up');
    return left(b, 'warm-up') < 1000;
  });
  for (let times = 0; times < 7; times += 1) a.take('actions', 'token');
  b.take('actions', 'token');
  a.take('reads', 'token');
  await untilLeft(() => [left(a, 'token'), left(b, 'token')], 992, 992);
  await untilLeft(() => [b.peek('reads', 'token').remaining], 999);
  a.take('failures', '192.0.2.1');
  await untilLeft(() => [b.peek('failures', '192.0.2.1').remaining], 999);
  assert.deepEqual([left(a, 'token'), left(b, 'token')], [992, 992]);
});

test('a refund is passed on to the other service', async () => {
  a.take('attempts', 'somebody');
  await untilLeft(() => [b.peek('attempts', 'somebody').remaining], 999);
  a.refund('attempts', 'somebody');
  a.take('attempts', 'else');
  a.take('attempts', 'else');
  a.refund('attempts', 'else');
  await untilLeft(() => [b.peek('attempts', 'else').remaining], 999);
  assert.equal(b.peek('attempts', 'somebody').remaining, 1000);
  assert.equal(a.peek('attempts', 'somebody').remaining, 1000);
});

test('debt beyond the limit is passed on to the other service', async () => {
  a.overdraw('changes', 'somebody');
  await untilLeft(() => [a, b].map((one) => one.peek('changes', 'somebody').remaining), 999, 999);
});

test('a batch that is too large for one notification is sent in several', async () => {
  const keys = Array.from({ length: 2500 }, (_, at) => `2001:db8:ffff:${at}::/64`);
  for (const key of keys) a.take('failures', key);
  await untilLeft(() => [...new Set(keys.map((key) => b.peek('failures', key).remaining))], 999);
});

test('policies that only a newer service knows are ignored', async () => {
  const taken = [
    ['dreams', 'k', 5],
    ['actions', 'k', 2],
  ] as const;
  await notify(db, 'limits_taken', { from: 'another', taken });
  await untilLeft(() => [left(a, 'k'), left(b, 'k')], 998, 998);
});

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { listenForNotifications, notify } from '../db/notifications.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { exchangeTakings } from './exchange.ts';
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
  tries: limit,
  beginnings: limit,
  networks: limit,
  accounts: limit,
  strangers: limit,
  changes: limit,
  projects: limit,
};
const shared = (): Limiter => exchangeTakings(createLimiter(limits), { db, notifications, log });
const [a, b] = [shared(), shared()];

after(async () => {
  await Promise.all([a.stop(), b.stop()]);
  await notifications.close();
  await close();
});

const left = (limiter: Limiter, key: string) => limiter.look('actions', key).left;

/** How many of 1,000 are left at each. */
const untilLeft = (look: () => number[], ...wanted: number[]) =>
  until(`${wanted} are left`, look, (seen) => seen.join() === wanted.join());

/** One that was told before the other listened is lost, so this asks until one is heard. */
test('what one let through, the other counts too, once, and the first not again', async () => {
  await until('one is heard', () => {
    a.take('actions', 'warm-up');
    return left(b, 'warm-up') < 1000;
  });
  for (let times = 0; times < 7; times += 1) a.take('actions', 'token');
  b.take('actions', 'token');
  a.take('reads', 'token');
  await untilLeft(() => [left(a, 'token'), left(b, 'token')], 992, 992);
  await untilLeft(() => [b.look('reads', 'token').left], 999);
  a.take('failures', '192.0.2.1');
  await untilLeft(() => [b.look('failures', '192.0.2.1').left], 999);
  assert.deepEqual([left(a, 'token'), left(b, 'token')], [992, 992]);
});

test('what is given back, the other gives back too', async () => {
  a.take('tries', 'somebody');
  await untilLeft(() => [b.look('tries', 'somebody').left], 999);
  a.giveBack('tries', 'somebody');
  a.take('tries', 'else');
  a.take('tries', 'else');
  a.giveBack('tries', 'else');
  await untilLeft(() => [b.look('tries', 'else').left], 999);
  assert.equal(b.look('tries', 'somebody').left, 1000);
  assert.equal(a.look('tries', 'somebody').left, 1000);
});

test('what is owed beyond the limit, the other counts too', async () => {
  a.owe('changes', 'somebody');
  await untilLeft(() => [a, b].map((one) => one.look('changes', 'somebody').left), 999, 999);
});

test('so much at once that it needs several notifications is told all the same', async () => {
  const keys = Array.from({ length: 2500 }, (_, at) => `2001:db8:ffff:${at}::/64`);
  for (const key of keys) a.take('failures', key);
  await untilLeft(() => [...new Set(keys.map((key) => b.look('failures', key).left))], 999);
});

test('what a newer service limits beyond that is left alone', async () => {
  const taken = [
    ['dreams', 'k', 5],
    ['actions', 'k', 2],
  ] as const;
  await notify(db, 'limits_taken', { from: 'another', taken });
  await untilLeft(() => [left(a, 'k'), left(b, 'k')], 998, 998);
});

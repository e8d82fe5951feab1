import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { listenForNotifications, notify } from '../../db/notifications.ts';
import { createTestDatabase } from '../../testing/postgres.ts';
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
};
const shared = (): Limiter => exchangeTakings(createLimiter(limits), { db, notifications, log });
const [a, b] = [shared(), shared()];

after(async () => {
  await Promise.all([a.stop(), b.stop()]);
  await notifications.close();
  await close();
});

async function until(isSo: () => boolean): Promise<void> {
  for (let looks = 0; looks < 1500 && !isSo(); looks += 1) await sleep(20);
  assert.ok(isSo());
}

const left = (limiter: Limiter, key: string) => limiter.look('actions', key).left;

/** One that was told before the other listened is lost, so this asks until one is heard. */
test('what one let through, the other counts too, once, and the first not again', async () => {
  for (let tries = 0; tries < 1500 && left(b, 'warm-up') === 1000; tries += 1) {
    a.take('actions', 'warm-up');
    await sleep(20);
  }
  for (let times = 0; times < 7; times += 1) a.take('actions', 'token');
  b.take('actions', 'token');
  a.take('reads', 'token');
  await until(() => left(a, 'token') === 992 && left(b, 'token') === 992);
  await until(() => b.look('reads', 'token').left === 999);
  a.take('failures', '192.0.2.1');
  await until(() => b.look('failures', '192.0.2.1').left === 999);
  assert.deepEqual([left(a, 'token'), left(b, 'token')], [992, 992]);
});

test('what is given back, the other gives back too', async () => {
  a.take('tries', 'somebody');
  await until(() => b.look('tries', 'somebody').left === 999);
  a.giveBack('tries', 'somebody');
  a.take('tries', 'else');
  a.take('tries', 'else');
  a.giveBack('tries', 'else');
  await until(() => b.look('tries', 'else').left === 999);
  assert.equal(b.look('tries', 'somebody').left, 1000);
  assert.equal(a.look('tries', 'somebody').left, 1000);
});

test('so much at once that it needs several notifications is told all the same', async () => {
  const keys = Array.from({ length: 2500 }, (_, at) => `2001:db8:ffff:${at}::/64`);
  for (const key of keys) a.take('failures', key);
  await until(() => keys.every((key) => b.look('failures', key).left === 999));
});

test('what a newer service limits beyond that is left alone', async () => {
  const taken = [
    ['dreams', 'k', 5],
    ['actions', 'k', 2],
  ] as const;
  await notify(db, 'limits_taken', { from: 'another', taken });
  await until(() => left(a, 'k') === 998 && left(b, 'k') === 998);
});

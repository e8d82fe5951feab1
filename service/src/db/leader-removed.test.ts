import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { createLeader } from './locks/leader.ts';

/** Longer than two signs of life are apart: at each of them a process hands over what exceeds its share. */
const signMilliseconds = 7000;

test('a removed name that ends slowly does not make its process hand over another one', async (t) => {
  const { pool, close } = await createTestDatabase();
  t.after(close);
  const leader = createLeader({ pool, log: pino({ level: 'silent' }) });
  const stopping = new AbortController();
  const removing = new AbortController();
  const removed = Promise.withResolvers<void>();
  const aborted: string[] = [];
  const led = new Set<string>();
  const lead = (name: string, signal: AbortSignal, end: Promise<void>) =>
    leader.whileLeading(name, signal, async (leading) => {
      led.add(name);
      await new Promise((resolve) => leading.addEventListener('abort', resolve, { once: true }));
      aborted.push(name);
      await end;
    });
  const stays = lead('stays', stopping.signal, Promise.resolve());
  await until('the one that stays is led', () => led.has('stays'));
  const slow = lead('slow', AbortSignal.any([removing.signal, stopping.signal]), removed.promise);
  t.after(async () => {
    removed.resolve();
    stopping.abort();
    await Promise.all([stays, slow]);
  });
  await until('the slow one is led', () => led.has('slow'));
  removing.abort();
  await sleep(signMilliseconds);
  assert.deepEqual(aborted, ['slow']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createTestDatabase } from '../testing/postgres.ts';
import { until } from '../testing/until.ts';
import { createLeader } from './locks/leader.ts';

/** Longer than the interval of heartbeats, at which a process hands over the names that exceed its share. */
const heartbeatMilliseconds = 7000;

test('a process does not hand over another name because the work of a removed one ends slowly', async (t) => {
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
  await until('the first name is led', () => led.has('stays'));
  const slow = lead('slow', AbortSignal.any([removing.signal, stopping.signal]), removed.promise);
  t.after(async () => {
    removed.resolve();
    stopping.abort();
    await Promise.all([stays, slow]);
  });
  await until('the slow name is led', () => led.has('slow'));
  removing.abort();
  await sleep(heartbeatMilliseconds);
  assert.deepEqual(aborted, ['slow']);
});

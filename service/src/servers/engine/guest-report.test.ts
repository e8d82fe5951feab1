import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FakeClock, fakeClock } from '../../testing/fake-clock.ts';
import type { ServerStepContext } from '../define-operation.ts';
import { reportChanges } from './guest-report.ts';

const server = { uuid: '00000000-0000-4000-8000-000000000001' };

/** A guest whose report has these lengths in successive polls; the last one is repeated. */
function guestOf(clock: FakeClock, ...lengths: (number | null)[]) {
  const polls: number[] = [];
  const size = async () => {
    const length = lengths[Math.min(polls.length, lengths.length - 1)] ?? null;
    polls.push(clock.elapsed());
    return length;
  };
  const abort = new AbortController();
  const context = { incus: { files: { size } }, server, signal: abort.signal };
  const watch = (bytes: number | null) =>
    reportChanges(context as unknown as ServerStepContext<unknown>, bytes, clock);
  return { watch, abort, polls };
}

test('a guest is watched until it reports', async () => {
  const clock = fakeClock();
  const { watch, polls } = guestOf(clock, null, null, 14);
  const watched = watch(null);
  await clock.pass(500);
  assert.equal(await watched, true);
  assert.deepEqual(polls, [20, 40, 60]);
});

test('a guest is watched until its report is another one', async () => {
  const clock = fakeClock();
  const { watch, polls } = guestOf(clock, 14, 14, 14, 22);
  const watched = watch(14);
  await clock.pass(500);
  await watched;
  assert.deepEqual(polls, [20, 40, 60, 80]);
});

test('a guest that reports nothing new is watched for half a second', async () => {
  const clock = fakeClock();
  const { watch, polls } = guestOf(clock, 14);
  const watched = watch(14);
  await clock.pass(10_000);
  assert.equal(await watched, false);
  assert.equal(polls.length, 24);
  assert.equal(polls.at(-1), 480);
});

test('thirty guests are read every half a second, without polls in between', async () => {
  const clock = fakeClock();
  const guests = Array.from({ length: 30 }, () => guestOf(clock, 14));
  const watched = guests.map(({ watch }) => watch(14));
  await clock.pass(500);
  await Promise.all(watched);
  const all = guests.flatMap(({ polls }) => polls);
  // The first ones began before there were so many.
  assert.ok(all.length <= 25, String(all));
});

test('guests that are watched at the same time share the polls', async () => {
  const clock = fakeClock();
  const guests = [14, 14, 14].map((length) => guestOf(clock, length));
  const watched = guests.map(({ watch }) => watch(14));
  await clock.pass(120);
  assert.deepEqual(
    guests.map(({ polls }) => polls),
    [
      [20, 80],
      [40, 100],
      [60, 120],
    ],
  );
  for (const { abort } of guests) abort.abort();
  await Promise.all(watched);
  // The next one is watched alone.
  const { watch, polls } = guestOf(clock, 14, 22);
  const last = watch(14);
  await clock.pass(500);
  await last;
  assert.deepEqual(polls, [140, 160]);
});

test('watching ends when the lease is lost', async () => {
  const { watch, abort, polls } = guestOf(fakeClock(), 14);
  abort.abort();
  assert.equal(await watch(14), false);
  assert.deepEqual(polls, []);
});

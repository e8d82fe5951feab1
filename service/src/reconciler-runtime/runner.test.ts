import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { fakeClock } from '../testing/fake-clock.ts';
import { defineReconciler, type Found, type Reconciler, type RunContext } from './define.ts';
import type { Registered, Run, RunObserver } from './observer.ts';
import { startReconcilers } from './runner.ts';

type Topic = 'wanted' | 'other' | 'outdated' | 'lost';
type Context = RunContext<Topic>;
type Work = (key: string, context: Context) => Promise<Found | undefined>;

/** A line of the log. */
interface Said {
  msg: string;
  reconciler: string;
  location?: string;
  count?: number;
  key?: string;
  err?: { message: string };
}

/** Runs reconcilers by name, each with the work of that name, on a clock that stands still. */
function started(
  reconcilers: Record<string, Omit<Reconciler<null, Topic>, 'name' | 'failure' | 'run'>>,
  work: Record<string, Work>,
  { observed = true, stopping = new AbortController() } = {},
) {
  const clock = fakeClock();
  const said: Said[] = [];
  const log = pino({}, { write: (line: string) => void said.push(JSON.parse(line)) });
  const runs: (Registered & Run)[] = [];
  const seen: string[] = [];
  const observer: RunObserver = {
    added: ({ reconciler }, seconds) => void seen.push(`${reconciler} added, ${seconds}`),
    began: ({ reconciler }, key) => void seen.push(`${reconciler} began, ${key}`),
    ended: (registered, run) => void runs.push({ ...registered, ...run }),
    removed: ({ reconciler }) => void seen.push(`${reconciler} removed`),
  };
  const runner = startReconcilers<null, Topic>({
    ...{ subject: null, location: 'here', signal: stopping.signal, log, clock },
    ...(observed && { observer }),
    reconcilers: Object.entries(reconcilers).map(([name, more]) =>
      defineReconciler({
        ...{ name, failure: `${name} failed.`, ...more },
        run: async (_, key, context) => await work[name]?.(key, context),
      }),
    ),
  });
  const names = () => runs.map(({ reconciler, key }) => `${reconciler} ${key}`);
  return { clock, stopping, said, runs, seen, names, ...runner };
}

/** Work that ends when it is told to. */
function held() {
  const ends: (() => void)[] = [];
  const work = () => new Promise<undefined>((resolve) => void ends.push(() => resolve(undefined)));
  return { work, ends };
}

test('each runs on its own schedule: at once, after its interval, or at a random time within it', async () => {
  const none = async () => undefined;
  const { clock, names, stop } = started(
    {
      now: { every: { milliseconds: 100, first: 'now' } },
      later: { every: { milliseconds: 100 } },
      random: { every: () => ({ milliseconds: 100, first: 'random' }) },
      never: {},
    },
    { now: none, later: none, random: none, never: none },
  );
  assert.deepEqual(names(), [], 'no reconciler has run before the start has returned');
  const times = () => Map.groupBy(names(), (name) => name);
  const count = (name: string) => times().get(`${name} all`)?.length ?? 0;
  await clock.pass(0);
  assert.deepEqual([count('now'), count('later')], [1, 0]);
  await clock.pass(99);
  assert.deepEqual([count('now'), count('later')], [1, 0]);
  await clock.pass(1);
  assert.deepEqual([count('now'), count('later'), count('random')], [2, 1, 1]);
  await clock.pass(100);
  assert.deepEqual([count('now'), count('later'), count('random')], [3, 2, 2]);
  await stop();
  await clock.pass(1000);
  assert.deepEqual([count('now'), count('later'), count('random'), count('never')], [3, 2, 2, 0]);
});

test('ticks during a run cause one more run; an interval from the end causes none', async () => {
  const ticking = held();
  const pausing = held();
  const { clock, stop, stopping } = started(
    {
      ticking: { every: { milliseconds: 10, first: 'now' } },
      pausing: { every: { milliseconds: 10, first: 'now', from: 'end' } },
    },
    { ticking: ticking.work, pausing: pausing.work },
  );
  await clock.pass(35);
  assert.deepEqual([ticking.ends.length, pausing.ends.length], [1, 1]);
  ticking.ends[0]?.();
  pausing.ends[0]?.();
  await clock.pass(0);
  assert.deepEqual([ticking.ends.length, pausing.ends.length], [2, 1]);
  await clock.pass(9);
  assert.equal(pausing.ends.length, 1);
  await clock.pass(1);
  assert.equal(pausing.ends.length, 2);
  stopping.abort();
  for (const release of [...ticking.ends, ...pausing.ends]) release();
  await stop();
  assert.deepEqual([ticking.ends.length, pausing.ends.length], [2, 2]);
});

test('runs by the clock begin at full multiples of their interval', async () => {
  const { work, ends } = held();
  const begun: number[] = [];
  const { clock, stop } = started(
    { round: { every: { milliseconds: 100, first: 'now', from: 'clock' } } },
    {
      round: () => {
        begun.push(clock.now());
        return work();
      },
    },
  );
  await clock.pass(130);
  ends[0]?.();
  await clock.pass(75);
  ends[1]?.();
  await clock.pass(100);
  assert.deepEqual(begun, [0, 200, 300]);
  ends[2]?.();
  await stop();
});

test('a topic triggers its reconcilers, one run at a time per key, and no trigger is lost', async () => {
  const { work, ends } = held();
  const { clock, trigger, names, runs, seen, stop } = started(
    { first: { on: ['wanted'] }, second: { on: ['other'] } },
    { first: work, second: async () => ({ things: 2 }) },
  );
  await clock.pass(1000);
  trigger('wanted', 'a');
  for (let hint = 0; hint < 3; hint += 1) trigger('wanted', 'a');
  trigger('wanted', 'b');
  trigger('other');
  await clock.pass(2000);
  assert.equal(ends.length, 2, 'b does not wait for a, and a runs once at a time');
  trigger('wanted', 'a');
  ends[0]?.();
  await clock.pass(500);
  for (const release of ends) release();
  await stop();
  assert.deepEqual(names(), ['second all', 'first a', 'first b', 'first a']);
  assert.deepEqual(runs[0]?.found, { things: 2 });
  assert.deepEqual(
    runs.map(({ lagSeconds, seconds }) => [lagSeconds, seconds]),
    [
      [0, 0],
      [0, 2],
      [0, 2.5],
      [2, 0.5],
    ],
    'the second run of a was late, because the first one took long after it was first triggered',
  );
  assert.deepEqual(seen.slice(0, 2), ['first added, null', 'second added, null']);
  assert.deepEqual(seen.slice(-2), ['first removed', 'second removed']);
});

test('errors are reported and counted, and do not affect other reconcilers', async () => {
  const { clock, trigger, runs, said, stop } = started(
    {
      throwing: { every: { milliseconds: 10 }, onFailure: 'lost' },
      partly: { on: ['wanted'] },
      following: { on: ['lost'] },
    },
    {
      throwing: async () => {
        throw new Error('No.');
      },
      partly: async (_, { recordFailure }) => {
        recordFailure(new Error('In part.'));
        return { things: 1 };
      },
      following: async () => undefined,
    },
  );
  trigger('wanted');
  await clock.pass(10);
  await clock.pass(10);
  await stop();
  const told = (name: string) =>
    runs
      .filter(({ reconciler }) => reconciler === name)
      .map(({ outcome, error }) => [outcome, error instanceof Error ? error.message : undefined]);
  assert.deepEqual(told('throwing'), [
    ['failed', 'No.'],
    ['failed', 'No.'],
  ]);
  assert.deepEqual(told('partly'), [['failed', 'In part.']]);
  assert.equal(told('following').length, 2);
  assert.deepEqual(
    said.map(({ msg, reconciler, location }) => [msg, reconciler, location]),
    [['throwing failed.', 'throwing', 'here']],
  );
});

test('an outage is logged once, then once a minute with a count, and when it is over', async () => {
  let isAway = true;
  const away = Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' });
  const work = async () => {
    if (isAway) throw away;
    return {};
  };
  const { clock, trigger, said, stop } = started(
    { regular: { every: { milliseconds: 1000 } }, keyed: { on: ['wanted'] } },
    { regular: work, keyed: work },
  );
  for (let seconds = 0; seconds < 90; seconds += 1) {
    trigger('wanted', `key ${seconds}`);
    await clock.pass(1000);
  }
  isAway = false;
  trigger('wanted', 'key');
  await clock.pass(2000);
  await stop();
  const told = (name: string) =>
    said.filter(({ reconciler }) => reconciler === name).map(({ msg, count }) => [msg, count]);
  assert.deepEqual(told('regular'), [
    ['regular failed.', 1],
    ['regular failed.', 60],
    ['The reconciler works again.', 29],
  ]);
  assert.deepEqual(told('keyed'), [
    ['keyed failed.', 1],
    ['keyed failed.', 60],
    ['The reconciler works again.', 29],
  ]);
});

test('after a failure the next run waits for its back-off, but a stop does not', async () => {
  let isBad = true;
  const { clock, trigger, runs, stop } = started(
    { healing: { every: { milliseconds: 10 }, on: ['wanted'], backOffMilliseconds: 1000 } },
    {
      healing: async () => {
        if (isBad) throw new Error('No.');
        return {};
      },
    },
  );
  await clock.pass(10);
  trigger('wanted');
  await clock.pass(999);
  assert.deepEqual([runs.length, runs[0]?.outcome], [1, 'failed']);
  isBad = false;
  await clock.pass(1);
  assert.equal(runs[1]?.outcome, 'succeeded');
  isBad = true;
  await clock.pass(10);
  assert.equal(runs.at(-1)?.outcome, 'failed', 'a success is not followed by a back-off');
  const tries = runs.length;
  trigger('wanted');
  await stop();
  assert.equal(runs.length, tries);
});

test('a run is retried as often as its reconciler says, and each error is reported', async () => {
  let tries = 0;
  const { clock, trigger, runs, said, stop } = started(
    {
      looking: {
        on: ['wanted'],
        retry: { times: 2, pauseMilliseconds: 500 },
        onFailure: 'lost',
      },
      following: { on: ['lost'] },
    },
    {
      looking: async (key) => {
        tries += 1;
        if (key === 'bad' || tries < 3) throw new Error('Not yet.');
      },
      following: async () => undefined,
    },
  );
  trigger('wanted', 'good');
  await clock.pass(1000);
  assert.deepEqual(
    runs.map(({ outcome, seconds }) => [outcome, seconds]),
    [['succeeded', 1]],
  );
  const about = { msg: 'looking failed.', key: 'good', message: 'Not yet.' };
  assert.deepEqual(
    said.map(({ msg, key, err }) => ({ msg, key, message: err?.message })),
    [about, about],
  );
  trigger('wanted', 'bad');
  await clock.pass(1000);
  await stop();
  assert.equal(tries, 6);
  assert.deepEqual(
    runs
      .slice(1)
      .map(({ reconciler, key, outcome }) => [reconciler, key, outcome])
      .toSorted(),
    [
      ['following', 'all', 'succeeded'],
      ['looking', 'bad', 'failed'],
    ],
  );
});

/** Ends with an error when it is aborted, as calls do. */
const untilAborted = async (_: string, { signal }: Context) =>
  await new Promise<undefined>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );

test('an outdated run is aborted, which is not a failure, and runs again when triggered', async () => {
  const { clock, trigger, runs, said, stopping, stop } = started(
    { sweep: { on: ['wanted'], abortOn: ['outdated'], onFailure: 'lost' } },
    { sweep: untilAborted },
  );
  trigger('outdated');
  trigger('wanted');
  await clock.pass(0);
  trigger('outdated');
  await clock.pass(0);
  assert.deepEqual(
    runs.map(({ outcome }) => outcome),
    ['aborted'],
  );
  trigger('wanted');
  await clock.pass(0);
  trigger('wanted');
  await clock.pass(0);
  assert.equal(runs.length, 1, 'another topic does not abort it');
  stopping.abort();
  await stop();
  assert.deepEqual(
    runs.map(({ outcome }) => outcome),
    ['aborted', 'aborted'],
    'a requested run does not begin after the end',
  );
  assert.deepEqual(said, []);
});

test('an aborted run is no failure, and is not logged, if it is retried or has recorded errors', async () => {
  const { clock, trigger, runs, said, stop } = started(
    {
      retried: { on: ['wanted'], abortOn: ['outdated'], retry: { times: 1, pauseMilliseconds: 0 } },
      partly: { on: ['wanted'], abortOn: ['outdated'] },
    },
    {
      retried: untilAborted,
      partly: async (key, context) => {
        await untilAborted(key, context).catch(context.recordFailure);
        return undefined;
      },
    },
  );
  trigger('wanted');
  await clock.pass(0);
  trigger('outdated');
  await clock.pass(0);
  await stop();
  assert.deepEqual(runs.map(({ reconciler, outcome }) => [reconciler, outcome]).toSorted(), [
    ['partly', 'aborted'],
    ['retried', 'aborted'],
  ]);
  assert.deepEqual(said, []);
});

test('a stop waits for runs in progress, and no run begins afterwards', async () => {
  const { work, ends } = held();
  const { clock, trigger, runs, stop } = started(
    { first: { on: ['wanted'], abortOn: ['outdated'] }, second: { on: ['other'] } },
    {
      first: async (_, context) => {
        await work();
        context.trigger('other');
        assert.equal(context.signal.aborted, false);
      },
      second: async () => undefined,
    },
  );
  trigger('wanted');
  await clock.pass(0);
  let hasEnded = false;
  const ending = stop().then(() => {
    hasEnded = true;
  });
  trigger('other');
  trigger('outdated');
  await clock.pass(0);
  assert.equal(hasEnded, false);
  ends[0]?.();
  await ending;
  assert.deepEqual(
    runs.map(({ reconciler, outcome }) => [reconciler, outcome]),
    [['first', 'succeeded']],
  );
});

test('a run in progress during a stop is not followed by another', async () => {
  const { work, ends } = held();
  const { clock, stop } = started(
    { pausing: { every: { milliseconds: 10, first: 'now', from: 'end' } } },
    { pausing: work },
  );
  await clock.pass(0);
  const ending = stop();
  ends[0]?.();
  await ending;
  await clock.pass(100);
  assert.equal(ends.length, 1);
});

test('the lag of a run is counted from its first trigger', async () => {
  const { clock, trigger, runs, stop } = started(
    { looking: { on: ['wanted'] } },
    { looking: async () => undefined },
  );
  trigger('wanted');
  await clock.pass(5000);
  trigger('wanted');
  await stop();
  assert.deepEqual(
    runs.map(({ lagSeconds }) => lagSeconds),
    [0, 0],
  );
});

test('a trigger during the last run is ignored after a stop, even if nothing was aborted', async () => {
  const { work, ends } = held();
  const { clock, trigger, stop } = started({ looking: { on: ['wanted'] } }, { looking: work });
  trigger('wanted');
  await clock.pass(0);
  trigger('wanted');
  const ending = stop();
  ends[0]?.();
  await ending;
  assert.equal(ends.length, 1);
});

test('a waiting retry is given up at a stop', async () => {
  let tries = 0;
  const { clock, trigger, runs, said, stopping, stop } = started(
    { looking: { on: ['wanted'], retry: { times: 9, pauseMilliseconds: 60_000 } } },
    {
      looking: async () => {
        tries += 1;
        throw new Error('Not yet.');
      },
    },
  );
  trigger('wanted');
  await clock.pass(0);
  stopping.abort();
  await stop();
  assert.deepEqual([runs.map(({ outcome }) => outcome), said.length, tries], [['aborted'], 1, 1]);
});

test('nothing runs if the signal was aborted before', async () => {
  const stopping = new AbortController();
  stopping.abort();
  const { clock, trigger, runs, stop } = started(
    { looking: { every: { milliseconds: 10, first: 'now' }, on: ['wanted'] } },
    { looking: async () => undefined },
    { stopping },
  );
  trigger('wanted');
  await clock.pass(100);
  await stop();
  assert.deepEqual(runs, []);
});

test('runs need no observer', async () => {
  const keys: string[] = [];
  const { clock, trigger, said, stop } = started(
    { looking: { on: ['wanted'] } },
    { looking: async (key) => void keys.push(key) },
    { observed: false },
  );
  trigger('wanted', 'a');
  await clock.pass(0);
  await stop();
  assert.deepEqual([keys, said], [['a'], []]);
});

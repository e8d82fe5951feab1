import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunObserver } from './observer.ts';
import { recordStatuses } from './status.ts';

const place = { reconciler: 'instance', location: 'here' };

/** A recorder with a clock that the test sets, and the runs that it passes on. */
function opened() {
  const time = { now: 0 };
  const passed: string[] = [];
  const next: RunObserver = {
    added: () => void passed.push('added'),
    began: () => void passed.push('began'),
    ended: () => void passed.push('ended'),
    removed: () => void passed.push('removed'),
  };
  return { time, passed, recorder: recordStatuses(next, () => time.now) };
}

const run = { lagSeconds: 0, found: undefined, error: undefined };

test('the longest run in progress is shown, and the last one that ended', () => {
  const { time, recorder, passed } = opened();
  recorder.added(place, 5);
  const [fresh] = recorder.statuses();
  assert.deepEqual([fresh?.everySeconds, fresh?.runs, fresh?.last], [5, 0, null]);
  recorder.began(place, 'a');
  time.now = 1000;
  recorder.began(place, 'b');
  time.now = 3000;
  assert.equal(recorder.statuses()[0]?.runningFor, 3);
  recorder.ended(place, { ...run, key: 'a', seconds: 3, outcome: 'succeeded' });
  time.now = 4000;
  const [entry] = recorder.statuses();
  assert.deepEqual([entry?.runningFor, entry?.runs, entry?.failures], [3, 1, 0]);
  assert.deepEqual([entry?.last?.key, entry?.last?.age, entry?.last?.found], ['a', 4, null]);
  recorder.ended(place, { ...run, key: 'b', seconds: 3, outcome: 'aborted' });
  assert.equal(recorder.statuses()[0]?.runningFor, null);
  assert.equal(recorder.statuses()[0]?.last?.outcome, 'aborted');
  recorder.removed(place);
  assert.deepEqual(recorder.statuses(), []);
  assert.deepEqual(passed, ['added', 'began', 'began', 'ended', 'ended', 'removed']);
});

test('the last failure stays known after successful runs, with a limited message', () => {
  const { time, recorder } = opened();
  recorder.added(place, null);
  const error = new Error('No. '.repeat(1000));
  recorder.ended(place, { ...run, key: 'a', seconds: 1, outcome: 'failed', error });
  time.now = 2000;
  recorder.ended(place, { ...run, key: 'a', seconds: 1, outcome: 'succeeded' });
  const [entry] = recorder.statuses();
  assert.deepEqual([entry?.runs, entry?.failures, entry?.lastFailure?.age], [2, 1, 2]);
  assert.equal(entry?.lastFailure?.error.length, 500);
  assert.equal(entry?.last?.outcome, 'succeeded');
});

test('a reconciler that is removed during a run does not reappear at its end', () => {
  const { recorder } = opened();
  recorder.added(place, null);
  recorder.began(place, 'a');
  recorder.removed(place);
  recorder.ended(place, { ...run, key: 'a', seconds: 1, outcome: 'succeeded' });
  assert.deepEqual(recorder.statuses(), []);
});

test('after a location was added again, the end of its former reconcilers changes nothing', () => {
  const { recorder } = opened();
  const again = { ...place };
  recorder.added(place, 5);
  recorder.began(place, 'a');
  recorder.added(again, 5);
  recorder.began(place, 'late');
  recorder.ended(place, { ...run, key: 'a', seconds: 1, outcome: 'succeeded' });
  recorder.removed(place);
  recorder.ended(again, { ...run, key: 'b', seconds: 1, outcome: 'succeeded' });
  const [entry, ...others] = recorder.statuses();
  assert.deepEqual([entry?.runs, entry?.last?.key, entry?.runningFor], [1, 'b', null]);
  assert.deepEqual(others, []);
});

test('each reconciler of each location has a status of its own', () => {
  const { recorder } = opened();
  const places = [place, { ...place, location: 'there' }, { ...place, reconciler: 'nodes' }];
  for (const one of places) recorder.added(one, null);
  assert.deepEqual(
    recorder.statuses().map(({ reconciler, location }) => ({ reconciler, location })),
    places,
  );
});

test('ages are those of the monotonic clock of the process', () => {
  const { recorder: next } = opened();
  const recorder = recordStatuses(next);
  recorder.added(place, null);
  recorder.began(place, 'a');
  const { runningFor } = recorder.statuses()[0] ?? {};
  assert.ok(typeof runningFor === 'number' && runningFor >= 0, String(runningFor));
});

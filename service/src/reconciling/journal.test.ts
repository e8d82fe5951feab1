import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJournal } from './journal.ts';
import type { RunObserver } from './observer.ts';

const place = { reconciler: 'instance', location: 'here' };

/** A journal by a clock that is moved, with what it passes on. */
function opened() {
  const time = { now: 0 };
  const passed: string[] = [];
  const next: RunObserver = {
    added: () => void passed.push('added'),
    began: () => void passed.push('began'),
    ended: () => void passed.push('ended'),
    removed: () => void passed.push('removed'),
  };
  return { time, passed, journal: createJournal(next, () => time.now) };
}

const run = { ...place, lagSeconds: 0, found: undefined, error: undefined };

test('the longest of the runs under way is told, and the last one that ended', () => {
  const { time, journal, passed } = opened();
  journal.added(place, 5);
  const [fresh] = journal.entries();
  assert.deepEqual([fresh?.everySeconds, fresh?.runs, fresh?.last], [5, 0, null]);
  journal.began(place, 'a');
  time.now = 1000;
  journal.began(place, 'b');
  time.now = 3000;
  assert.equal(journal.entries()[0]?.runningFor, 3);
  journal.ended({ ...run, key: 'a', seconds: 3, outcome: 'succeeded' });
  time.now = 4000;
  const [entry] = journal.entries();
  assert.deepEqual([entry?.runningFor, entry?.runs, entry?.failures], [3, 1, 0]);
  assert.deepEqual([entry?.last?.key, entry?.last?.age, entry?.last?.found], ['a', 4, null]);
  journal.ended({ ...run, key: 'b', seconds: 3, outcome: 'aborted' });
  assert.equal(journal.entries()[0]?.runningFor, null);
  assert.equal(journal.entries()[0]?.last?.outcome, 'aborted');
  journal.removed(place);
  assert.deepEqual(journal.entries(), []);
  assert.deepEqual(passed, ['added', 'began', 'began', 'ended', 'ended', 'removed']);
});

test('the last failure stays known after runs that succeed, and its words are not endless', () => {
  const { time, journal } = opened();
  journal.added(place, null);
  const error = new Error('No. '.repeat(1000));
  journal.ended({ ...run, key: 'a', seconds: 1, outcome: 'failed', error });
  time.now = 2000;
  journal.ended({ ...run, key: 'a', seconds: 1, outcome: 'succeeded' });
  const [entry] = journal.entries();
  assert.deepEqual([entry?.runs, entry?.failures, entry?.lastFailure?.age], [2, 1, 2]);
  assert.equal(entry?.lastFailure?.error.length, 500);
  assert.equal(entry?.last?.outcome, 'succeeded');
});

test('one that was removed amid a run is not there again at its end', () => {
  const { journal } = opened();
  journal.added(place, null);
  journal.began(place, 'a');
  journal.removed(place);
  journal.ended({ ...run, key: 'a', seconds: 1, outcome: 'succeeded' });
  assert.deepEqual(journal.entries(), []);
});

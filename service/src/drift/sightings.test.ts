import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Difference } from '../servers/engine/drift.ts';
import { columnsOf, forgetShown, type SeenDifference, seeAgain, shownOf } from './sightings.ts';
import '../testing/fixed-seed.ts';

const paths = ['config.limits.cpu', 'devices.eth1', 'name'];

/** One reading: the found value by path. */
const anyReading = fc
  .dictionary(fc.constantFrom(...paths), fc.constantFrom('1', '2'))
  .map((found) =>
    Object.entries(found).map(([path, value]) => ({ path, expected: '0', found: value })),
  );

const timeOf = (reading: number) => `2026-01-01T00:00:${String(reading).padStart(2, '0')}.000000Z`;

const after = (readings: Difference[][]) =>
  readings.reduce<SeenDifference[]>((seen, one, at) => seeAgain(seen, one, timeOf(at)), []);

test('a difference is confirmed by two readings in a row, and lasts since the first of all in a row', () => {
  fc.assert(
    fc.property(fc.array(anyReading, { minLength: 1, maxLength: 6 }), (readings) => {
      const seen = after(readings);
      const has = (at: number, path: string) => readings[at]?.some((one) => one.path === path);
      const last = readings.length - 1;
      assert.deepEqual(
        seen.map(({ path, found }) => ({ path, expected: '0', found })),
        readings[last],
      );
      for (const { path, since, confirmed } of seen) {
        let first = last;
        while (first > 0 && has(first - 1, path)) first -= 1;
        assert.deepEqual([since, confirmed], [timeOf(first), first < last]);
      }
    }),
  );
});

const cpu = (found: string): Difference => ({ path: 'config.limits.cpu', expected: '1', found });
const device: Difference = { path: 'devices.eth1', expected: null, found: 'type=nic' };

test('what was accepted is not shown, until it is changed again or something else is', () => {
  const seen = after([[cpu('2')], [cpu('2')]]);
  const accepted = forgetShown(seen);
  const statesOf = (differences: SeenDifference[]) => {
    const { is_confirmed, is_forgotten } = columnsOf(differences);
    return [is_confirmed, is_forgotten, shownOf(differences).map(({ path }) => path)];
  };
  assert.deepEqual(statesOf(seen), [true, false, [cpu('2').path]]);
  assert.deepEqual(statesOf(accepted), [true, true, [cpu('2').path]]);
  assert.deepEqual(statesOf(seeAgain(accepted, [cpu('2')], timeOf(3))), [
    ...[true, true],
    [cpu('2').path],
  ]);
  assert.deepEqual(statesOf(seeAgain(accepted, [cpu('3')], timeOf(3))), [
    ...[true, false],
    [cpu('3').path],
  ]);
  const both = seeAgain(accepted, [cpu('2'), device], timeOf(3));
  assert.deepEqual(statesOf(both), [true, true, [cpu('2').path]], 'it is not confirmed yet');
  const twice = seeAgain(both, [cpu('2'), device], timeOf(4));
  assert.deepEqual(statesOf(twice), [true, false, [device.path]]);
  assert.equal(columnsOf(twice).since, timeOf(3), 'since the one that is shown');
});

test('what was seen once is not accepted', () => {
  const [one] = forgetShown(after([[device]]));
  assert.equal(one?.forgotten, false);
});

test('a difference from another wanted value is another one', () => {
  const seen = seeAgain(
    after([[cpu('4')], [cpu('4')]]),
    [{ ...cpu('4'), expected: '2' }],
    timeOf(9),
  );
  assert.deepEqual(
    seen.map(({ since, confirmed }) => [since, confirmed]),
    [[timeOf(9), false]],
  );
});

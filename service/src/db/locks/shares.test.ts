import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createShares, type Led } from './shares.ts';

/** Creates this number of names, all of which are led by this process. */
function leading(count: number) {
  let noneWanted = 0;
  const shares = createShares(() => {
    noneWanted += 1;
  });
  const names = Array.from({ length: count }, (_, at) => {
    const wanted = new AbortController();
    const led: Led = { handing: new AbortController(), signal: wanted.signal };
    shares.want(wanted.signal);
    shares.begin(`name ${at}`, led);
    return { name: `name ${at}`, wanted, led };
  });
  const excess = (sessions: number) => shares.excess(sessions).map(([name]) => name);
  return { shares, names, excess, told: () => noneWanted };
}

test('a share is the number of names divided by that of sessions, rounded up', () => {
  const { shares, excess } = leading(5);
  assert.equal(shares.isFull(1), true);
  assert.deepEqual(excess(1), []);
  assert.deepEqual(excess(2), ['name 0', 'name 1'], 'the names that were led longest');
  assert.deepEqual(excess(5), ['name 0', 'name 1', 'name 2', 'name 3']);
  shares.end('name 0');
  assert.equal(shares.isFull(1), false);
  assert.deepEqual(excess(2), ['name 1']);
});

test('at most four names are handed over at once, and none twice', () => {
  const { names, excess } = leading(20);
  assert.equal(excess(2).length, 4);
  for (const { led } of names.slice(0, 4)) led.handing.abort();
  assert.deepEqual(excess(2), ['name 4', 'name 5', 'name 6', 'name 7']);
});

test('a name that need not be led any more does not count, even while its work still runs', () => {
  const { shares, names, excess, told } = leading(2);
  names[0]?.wanted.abort();
  assert.deepEqual(excess(1), []);
  assert.equal(shares.isFull(1), true);
  assert.equal(told(), 0);
  names[1]?.wanted.abort();
  assert.deepEqual([shares.isAnyWanted(), told()], [false, 1]);
  shares.want(AbortSignal.abort());
  assert.deepEqual([shares.isAnyWanted(), told()], [false, 2]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnlimited, type Quota, sharesOf } from './quota.ts';

const quota: Quota = {
  servers: { limit: 5, used: 4 },
  cpu: { limit: 16, used: 1 },
  ram: { limit: 4096, used: 1536 },
  disk: { limit: null, used: 30 },
  addresses: { limit: 2, used: 3 },
  outputs: { limit: 16, used: 0 },
};
const shares = sharesOf(quota);

test('each resource has what is used and what is left, in its units', () => {
  assert.deepEqual(
    shares.map(({ used, left }) => [used, left]),
    [
      ['4 of 5 servers used (80 %)', '1 server left'],
      ['1 of 16 cores used (6.3 %)', '15 cores left'],
      ['1.5 GiB of 4 GiB used (37.5 %)', '2.5 GiB left'],
      ['30 GiB used', 'No limit'],
      ['3 of 2 addresses used (100 %)', 'Used up'],
      ['0 MiB of 16 MiB used (0 %)', '16 MiB left'],
    ],
  );
});

test('what is nearly or wholly used up is marked, and has a full bar at most', () => {
  assert.deepEqual(
    shares.map(({ level }) => level),
    ['high', 'usual', 'usual', 'usual', 'full', 'usual'],
  );
  assert.deepEqual([shares[3]?.percent, shares[4]?.percent], [undefined, 100]);
  const [none] = sharesOf({ ...quota, servers: { limit: 0, used: 0 } });
  assert.deepEqual([none?.percent, none?.left], [100, 'Used up']);
});

test('a project whose only limit is that of the output has none for its servers', () => {
  assert.equal(isUnlimited(quota), false);
  const free = { limit: null, used: 1 };
  const { outputs } = quota;
  const unlimited = { servers: free, cpu: free, ram: free, disk: free, addresses: free, outputs };
  assert.equal(isUnlimited(unlimited), true);
});

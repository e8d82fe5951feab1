import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import type { IncusClient } from '../incus/client.ts';
import { until } from '../testing/until.ts';
import type { PoolKeeper } from './keeper.ts';
import type { Sized } from './promise.ts';
import { type QuotaFigures, watchQuotas } from './watch.ts';

// With a keeper that is made up. What a real one does to a real pool is tried in e2e/pool-quotas.long.test.ts.

const location = {
  ...{ id: 1, name: 'here', engine: { socket_path: '/nowhere/unix.socket' } },
  ...{ incus_project: 'berth', storage_pool: 'disks' },
};
const servers = ['srv-a', 'srv-b'].map((name) => ({ name }) as Sized);

function watched(own: Partial<PoolKeeper>) {
  const told: (QuotaFigures | undefined)[] = [];
  const rescans: number[] = [];
  const errors: unknown[] = [];
  const compared: string[][] = [];
  const keeper: PoolKeeper = {
    keeps: () => true,
    mode: () => 'classic',
    isInconsistent: () => false,
    async compare(instances) {
      compared.push(instances.map(({ name }) => name));
      return [];
    },
    limitOf: async () => undefined,
    heal: async () => 1.5,
    clearStale: async () => {},
    withRoom: async (_, step) => await step(),
    ...own,
  };
  const watch = watchQuotas(
    {
      client: { instances: { get: async (name: string) => ({ name }) } } as unknown as IncusClient,
      ...{ signal: new AbortController().signal, log: pino({ level: 'silent' }) },
      poolQuotas: { of: async () => keeper },
      observer: {
        quotas: (_, figures) => told.push(figures),
        rescanned: (_, seconds) => rescans.push(seconds),
      },
      report: (error) => errors.push(error),
    },
    location,
  );
  after(() => watch.end());
  return { watch, told, rescans, errors, compared };
}

test('a pool that has lost count is counted anew at the next look, and told of meanwhile', async () => {
  let isInconsistent = true;
  const { watch, told, rescans } = watched({
    isInconsistent: () => isInconsistent,
    async heal() {
      isInconsistent = false;
      return 1.5;
    },
  });
  await watch.compare(servers);
  await until('it is told that it counts again', () => told.at(-1)?.isInconsistent === false);
  assert.deepEqual(told[0], { mode: 'classic', isInconsistent: true, unlimited: 0 });
  assert.deepEqual(rescans, [1.5]);
  await watch.end();
  assert.equal(told.at(-1), undefined);
});

test('what could not be counted anew is not tried again with each look', async () => {
  let looks = 0;
  let tries = 0;
  const { watch, errors } = watched({
    isInconsistent() {
      looks += 1;
      return true;
    },
    async heal() {
      tries += 1;
      throw new Error('No.');
    },
  });
  await watch.compare(servers);
  await until('it was tried', () => errors.length > 0);
  const before = looks;
  await until('it was looked at over and over', () => looks > before + 4);
  assert.deepEqual([tries, errors.length], [1, 1]);
  await watch.end();
});

test('a pool of somebody else is looked at, and left as it is', async () => {
  let looks = 0;
  const none = async () => assert.fail('It was changed.');
  const { watch, told, errors } = watched({
    keeps: () => false,
    isInconsistent() {
      looks += 1;
      return true;
    },
    compare: async (instances) => instances,
    heal: none,
    clearStale: none,
  });
  await watch.compare(servers);
  await until('it was looked at', () => looks > 3);
  await watch.end();
  assert.deepEqual(told[0], { mode: 'classic', isInconsistent: true, unlimited: 2 });
  assert.deepEqual(errors, []);
});

test('a server that was restored is looked at by itself, and stale groups go once a day', async () => {
  let cleared = 0;
  const { watch, compared } = watched({
    async clearStale() {
      cleared += 1;
    },
  });
  await watch.compare(servers);
  watch.lookAt('srv-b');
  await until('it was looked at', () => compared.length > 1);
  await watch.compare(servers);
  assert.deepEqual(compared, [['srv-a', 'srv-b'], ['srv-b'], ['srv-a', 'srv-b']]);
  assert.equal(cleared, 1);
  await watch.end();
});

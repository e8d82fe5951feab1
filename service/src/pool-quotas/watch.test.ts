import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { IncusClient } from '../incus/client.ts';
import { keptLog } from '../testing/canaries.ts';
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
  const { log, lines } = keptLog();
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
      ...{ signal: new AbortController().signal, log },
      poolQuotas: { of: async () => keeper },
      observer: {
        quotas: (_, figures) => told.push(figures),
        rescanned: (_, seconds) => rescans.push(seconds),
      },
      report: (error) => errors.push(error),
    },
    location,
  );
  after(() => watch.stop());
  return { watch, told, rescans, errors, lines, compared };
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
  await watch.stop();
  assert.equal(told.at(-1), undefined);
});

test('a pool that could not be counted anew is told of, and not tried again at once', async () => {
  let tries = 0;
  const { watch, lines } = watched({
    isInconsistent: () => true,
    async heal() {
      tries += 1;
      throw new Error('No.');
    },
  });
  await watch.compare(servers);
  await until('it was tried', () => lines.length > 0);
  const messages = lines.map((line) => JSON.parse(line).msg);
  assert.deepEqual(messages, ['The quota rescan of a storage pool failed.']);
  await watch.stop();
  assert.equal(tries, 1);
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
  await watch.stop();
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
  await watch.stop();
});

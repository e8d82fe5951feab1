import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { IncusClient } from '../incus/client.ts';
import { keptLog } from '../testing/canaries.ts';
import { until } from '../testing/until.ts';
import type { SizedInstance } from './disk-size.ts';
import type { QuotaGuard } from './quota-guard.ts';
import { type QuotaFigures, watchQuotas } from './watch.ts';

// Uses a fake guard. e2e/pool-quotas.long.test.ts tests a real one on a real pool.

const location = {
  ...{ id: 1, name: 'here', engine: { socket_path: '/nowhere/unix.socket' } },
  ...{ incus_project: 'berth', storage_pool: 'disks' },
};
const servers = ['srv-a', 'srv-b'].map((name) => ({ name, devices: {} }) as SizedInstance);

function watched(own: Partial<QuotaGuard>, get = async (name: string) => ({ name })) {
  const told: (QuotaFigures | undefined)[] = [];
  const rescans: number[] = [];
  const errors: unknown[] = [];
  const { log, lines } = keptLog();
  const compared: string[][] = [];
  const guard: QuotaGuard = {
    canEnforce: () => true,
    mode: () => 'classic',
    isInconsistent: () => false,
    async enforce(instances) {
      compared.push(instances.map(({ name }) => name));
      return [];
    },
    limitOf: async () => undefined,
    rescan: async () => 1.5,
    clearStale: async () => {},
    withHeadroom: async (_, step) => await step(),
    ...own,
  };
  const watch = watchQuotas(
    {
      client: { instances: { get } } as unknown as IncusClient,
      ...{ signal: new AbortController().signal, log },
      poolQuotas: { of: async () => guard },
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

test('inconsistent quotas are reported, and rescanned at the next poll', async () => {
  let isInconsistent = true;
  const { watch, told, rescans } = watched({
    isInconsistent: () => isInconsistent,
    async rescan() {
      isInconsistent = false;
      return 1.5;
    },
  });
  await watch.compare(servers);
  await until('consistent quotas are reported again', () => told.at(-1)?.isInconsistent === false);
  assert.deepEqual(told[0], { mode: 'classic', isInconsistent: true, unlimited: 0 });
  assert.deepEqual(rescans, [1.5]);
  await watch.stop();
  assert.equal(told.at(-1), undefined);
});

test('a rescan that fails is logged, and not retried at once', async () => {
  let tries = 0;
  const { watch, lines } = watched({
    isInconsistent: () => true,
    async rescan() {
      tries += 1;
      throw new Error('No.');
    },
  });
  await watch.compare(servers);
  await until('a rescan was attempted', () => lines.length > 0);
  const messages = lines.map((line) => JSON.parse(line).msg);
  assert.deepEqual(messages, ['The quota rescan of a storage pool failed.']);
  await watch.stop();
  assert.equal(tries, 1);
});

test('a pool of somebody else is observed, and not changed', async () => {
  let looks = 0;
  const none = async () => assert.fail('It was changed.');
  const { watch, told, errors } = watched({
    canEnforce: () => false,
    isInconsistent() {
      looks += 1;
      return true;
    },
    enforce: async (instances) => instances,
    rescan: none,
    clearStale: none,
  });
  await watch.compare(servers);
  await until('the pool was checked', () => looks > 3);
  await watch.stop();
  assert.deepEqual(told[0], { mode: 'classic', isInconsistent: true, unlimited: 2 });
  assert.deepEqual(errors, []);
});

test('a restored server is checked separately, and stale groups are cleared once a day', async () => {
  let cleared = 0;
  const { watch, compared } = watched({
    async clearStale() {
      cleared += 1;
    },
  });
  await watch.compare(servers);
  watch.syncInstance('srv-b');
  await until('its known and its current size were checked', () => compared.length > 2);
  await watch.compare(servers);
  assert.deepEqual(compared, [['srv-a', 'srv-b'], ['srv-b'], ['srv-b'], ['srv-a', 'srv-b']]);
  assert.equal(cleared, 1);
  await watch.stop();
});

test('the limit of a restored server is set before Incus responds, with the size that is known', async () => {
  const root = { type: 'disk', size: '5GiB' };
  const server = { name: 'srv-a', type: 'container', project: 'berth', devices: { root } } as const;
  const sizes: SizedInstance[] = [];
  const never = Promise.withResolvers<never>();
  const { watch } = watched(
    {
      async enforce(instances) {
        sizes.push(...instances);
        return [];
      },
    },
    () => never.promise,
  );
  await watch.compare([{ ...server, devices: { root, eth0: { type: 'nic' } } }]);
  watch.syncInstance('srv-a');
  await until('its limit was set', () => sizes.length > 1);
  assert.deepEqual(sizes[1], server);
  never.reject(new Error('Stopped.'));
  await watch.stop();
});

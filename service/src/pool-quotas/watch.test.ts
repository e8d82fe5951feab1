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

function watched(
  own: Partial<QuotaGuard>,
  get: (name: string) => Promise<object> = async (name) => ({ name }),
) {
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
  await until('the pool was checked', () => compared.length > 1);
  await watch.compare(servers);
  assert.deepEqual(compared, [['srv-a', 'srv-b'], ['srv-b'], ['srv-a', 'srv-b']]);
  assert.equal(cleared, 1);
  await watch.stop();
});

const sized = (size: string): SizedInstance => ({
  ...{ name: 'srv-a', type: 'container', project: 'berth' },
  devices: { root: { type: 'disk', size } },
});

/** Restores a server whose size was 5 GiB, and whose limit is this. Incus responds when `asked` is settled. */
async function restored(limit: number | null) {
  const asked = [Promise.withResolvers<SizedInstance>(), Promise.withResolvers<SizedInstance>()];
  const sizes: SizedInstance[] = [];
  let calls = 0;
  const { watch } = watched(
    {
      async enforce(instances) {
        sizes.push(...instances);
        return [];
      },
      limitOf: async () => ({ charged: 0, limit, size: 5 * 2 ** 30 }),
    },
    async () => {
      calls += 1;
      return await (asked[calls - 1]?.promise ?? assert.fail('It was asked again.'));
    },
  );
  const known = sized('5GiB');
  await watch.compare([{ ...known, devices: { ...known.devices, eth0: { type: 'nic' } } }]);
  sizes.length = 0;
  watch.syncInstance('srv-a');
  await until('Incus is asked', () => calls === 1);
  return { watch, asked, sizes, calls: () => calls };
}

test('a lost limit is set with the size that is known before Incus responds, and then with the current one', async () => {
  const { watch, asked, sizes, calls } = await restored(null);
  assert.deepEqual(sizes, [sized('5GiB')]);
  // A busy Incus is asked again.
  asked[0]?.reject(new Error('No answer.'));
  await until('Incus is asked again', () => calls() === 2);
  asked[1]?.resolve(sized('8GiB'));
  await until('the current size is in force', () => sizes.at(-1)?.devices.root?.size === '8GiB');
  await watch.stop();
});

test('a limit that was not lost is not replaced by that of an outdated size', async () => {
  const { watch, asked, sizes } = await restored(8 * 2 ** 30);
  asked[0]?.resolve(sized('8GiB'));
  await until('the current size is in force', () => sizes.length > 0);
  assert.deepEqual(sizes, [sized('8GiB')]);
  await watch.stop();
});

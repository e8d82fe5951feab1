import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import type { CallOptions } from '../incus/transport/api.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { instanceName } from '../instances/labels.ts';
import { subvolumeLister } from '../servers/engine/subvolumes.ts';
import { keptLog } from '../testing/canaries.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { subvolumeCounter } from './subvolumes.ts';

const directory = temporaryDirectory('subvolumes');
const containers = join(directory, 'storage-pools', 'disks', 'containers');
mkdirSync(join(directory, 'bin'));
process.env.PATH = `${join(directory, 'bin')}${delimiter}${process.env.PATH}`;

const place = {
  name: 'test',
  engine: { socket_path: join(directory, 'unix.socket') },
  incus_project: 'berth',
  storage_pool: 'disks',
};
const client = {
  storage: { getPool: async () => ({ driver: 'btrfs' }) },
} as unknown as IncusClient;

const { log, lines } = keptLog();

/** What was logged: the location or the instance, and the number of its subvolumes. */
const told = () =>
  lines
    .map((line) => JSON.parse(line))
    .map(({ location, instance, subvolumes, msg }) => [location ?? instance, subvolumes, msg]);

/** Creates a command that simulates `btrfs subvolume list -o`. The last argument is the path. */
const btrfs = (body: string) =>
  writeFileSync(join(directory, 'bin', 'btrfs'), `#!/bin/sh\nfor path; do :; done\n${body}\n`, {
    mode: 0o755,
  });

const names = Array.from({ length: 4 }, () => instanceName(crypto.randomUUID()));
const [full = '', empty = '', elsewhere = '', machine = ''] = names;
for (const name of [full, empty, machine, 'of-somebody'])
  mkdirSync(join(containers, `berth_${name}`), { recursive: true });

beforeEach(() => {
  lines.length = 0;
  btrfs(`case "$path" in
    *${full}) printf 'ID 257 gen 9 top level 256 path containers/berth_${full}/rootfs/a b\\n'
              printf 'ID 258 gen 9 top level 256 path containers/berth_${full}/rootfs/c\\n';;
    *${machine}|*of-somebody) printf 'ID 259 gen 9 top level 256 path theirs\\n';;
  esac`);
});

describe('subvolumes in the disk of a container', () => {
  it('are listed with their paths, for this container only', async () => {
    const list = subvolumeLister(place, 'btrfs');
    const below = `containers/berth_${full}/rootfs`;
    assert.deepEqual(await list?.(full), [`${below}/a b`, `${below}/c`]);
    assert.deepEqual(await list?.(empty), []);
    assert.equal(await list?.(elsewhere), undefined);
  });

  it('are unknown on another machine, and do not exist without btrfs', () => {
    const far = { ...place, engine: { urls: ['https://10.0.0.1:8443'], server_cert: '' } };
    assert.equal(subvolumeLister(far, 'btrfs'), undefined);
    assert.equal(subvolumeLister(place, 'zfs'), undefined);
  });

  it('cause an error if they can not be listed, and are not counted then', async () => {
    const list = subvolumeLister(place, 'btrfs');
    btrfs('echo "ERROR: Operation not permitted" >&2; exit 1');
    await assert.rejects(async () => await list?.(full), /Operation not permitted/);
    assert.deepEqual(await counted(), [undefined]);
    assert.deepEqual(told(), [['test', undefined, 'Subvolumes could not be listed.']]);
  });

  it('are counted by the next sweep where the pool could not be read', async () => {
    let looks = 0;
    const restarting = {
      storage: {
        getPool: async () => {
          looks += 1;
          if (looks === 1) throw new EngineError('unreachable', 'Incus restarts.');
          return { driver: 'btrfs' };
        },
      },
    } as unknown as IncusClient;
    const counts: (number | undefined)[] = [];
    const count = counter(counts, restarting);
    await assert.rejects(count(instances), /Incus restarts/);
    for (let sweep = 0; sweep < 2; sweep += 1) await count(instances);
    assert.deepEqual([counts, looks], [[1], 2]);
  });

  it('are counted by server, of which each is logged', async () => {
    assert.deepEqual(await counted(), [1]);
    const words = 'A server has subvolumes, which the quota of its disk does not include.';
    assert.deepEqual(told(), [[full, 2, words]]);
  });

  it('are counted again after an hour', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const counts: (number | undefined)[] = [];
    const count = counter(counts);
    for (const elapsed of [0, 3_599_999, 1]) {
      now += elapsed;
      await count(instances);
    }
    assert.deepEqual(counts, [1, 1]);
  });

  it('are not counted without the pool, or after an abort', async () => {
    const storage = { getPool: async () => null };
    assert.deepEqual(await counted({ storage } as unknown as IncusClient), []);
    const stopping = new AbortController();
    const stops = async () => {
      stopping.abort();
      return { driver: 'btrfs' };
    };
    const ending = { storage: { getPool: stops } } as unknown as IncusClient;
    assert.deepEqual(await counted(ending, stopping.signal), []);
    assert.deepEqual(told(), []);
  });
});

const instances = [...names, 'of-somebody'].map(
  (name) => ({ name, type: name === machine ? 'virtual-machine' : 'container' }) as Instance,
);

function counter(
  counts: (number | undefined)[],
  incus = client,
  signal = new AbortController().signal,
) {
  const storage = {
    getPool: async (name: string, options: CallOptions) => {
      assert.deepEqual([name, options.signal], ['disks', signal]);
      return await incus.storage.getPool(name, options);
    },
  };
  const looking = { client: { storage } as unknown as IncusClient, log, signal };
  return subvolumeCounter(looking, place, (servers) => counts.push(servers));
}

/** Runs two scans, and returns the reported counts. The second scan reports nothing, because it follows at once. */
async function counted(incus = client, signal?: AbortSignal) {
  const counts: (number | undefined)[] = [];
  const count = counter(counts, incus, signal);
  await count(instances);
  await count(instances);
  return counts;
}

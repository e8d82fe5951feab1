import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { EngineError } from '../incus/transport/errors.ts';
import { instanceName } from '../instances/labels.ts';
import { subvolumeLister } from '../servers/engine/subvolumes.ts';
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

/** Creates a command that simulates `btrfs subvolume list -o`. The last argument is the path. */
const btrfs = (body: string) =>
  writeFileSync(join(directory, 'bin', 'btrfs'), `#!/bin/sh\nfor path; do :; done\n${body}\n`, {
    mode: 0o755,
  });

const names = Array.from({ length: 3 }, () => instanceName(crypto.randomUUID()));
const [full = '', empty = '', elsewhere = ''] = names;
for (const name of [full, empty]) mkdirSync(join(containers, `berth_${name}`), { recursive: true });

beforeEach(() => {
  btrfs(`case "$path" in
    *${full}) printf 'ID 257 gen 9 top level 256 path containers/berth_${full}/rootfs/a b\\n'
              printf 'ID 258 gen 9 top level 256 path containers/berth_${full}/rootfs/c\\n';;
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
    const told: (number | undefined)[] = [];
    const count = counter(told, restarting);
    await assert.rejects(count(instances), /Incus restarts/);
    for (let sweep = 0; sweep < 2; sweep += 1) await count(instances);
    assert.deepEqual([told, looks], [[1], 2]);
  });

  it('are counted by server', async () => {
    assert.deepEqual(await counted(), [1]);
  });
});

const instances = [...names, 'of-somebody'].map(
  (name) => ({ name, type: 'container' }) as Instance,
);

function counter(told: (number | undefined)[], incus = client) {
  const { signal } = new AbortController();
  const looking = { client: incus, log: pino({ level: 'silent' }), signal };
  return subvolumeCounter(looking, place, (servers) => told.push(servers));
}

/** Runs two scans, and returns the reported counts. The second scan reports nothing, because it follows at once. */
async function counted(): Promise<(number | undefined)[]> {
  const told: (number | undefined)[] = [];
  const count = counter(told);
  await count(instances);
  await count(instances);
  return told;
}

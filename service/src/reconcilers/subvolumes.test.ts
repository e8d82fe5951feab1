import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
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

  it('are counted by server', async () => {
    assert.deepEqual(await counted(), [1]);
  });
});

/** Runs two scans, and returns the reported counts. The second scan reports nothing, because it follows at once. */
async function counted(): Promise<(number | undefined)[]> {
  const told: (number | undefined)[] = [];
  const looking = {
    client,
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
  };
  const count = subvolumeCounter(looking, place, (servers) => told.push(servers));
  const instances = [...names, 'of-somebody'].map((name) => ({ name, type: 'container' }));
  await count(instances as Instance[]);
  await count(instances as Instance[]);
  return told;
}

import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Server } from '@berth/contract/servers';
import type { IncusClient } from '../service/src/incus/client.ts';
import type { Instance } from '../service/src/incus/instances.ts';
import { inTurn, type Turns } from '../service/src/lib/in-turn.ts';
import { groupsOf } from '../service/src/pool-quotas/btrfs.ts';
import { isInconsistent, modeOf } from '../service/src/pool-quotas/counting.ts';
import type { Group } from '../service/src/pool-quotas/groups.ts';
import { btrfsAt, type Mount } from '../service/src/pool-quotas/mount.ts';
import { poolDirectory } from '../service/src/pool-quotas/place.ts';
import { until } from '../service/src/testing/until.ts';
import { created, incusPool, incusProject, incusSocket } from './api.ts';
import { incus } from './incus.ts';

// Servers that write until their disk is full, and their usage of the pool, by the accounting of the kernel and by
// their files.

const mebibyte = 2 ** 20;
/** The MiB that a guest can write: few, so that it is soon full. */
const room = 128;
const healSeconds = 180;
/** Incus responds slowly while many guests write. */
const patienceSeconds = 120;

/** A server with a disk that is full after some MiB. */
export interface FullGuest {
  server: Server;
  /** The name of its instance. */
  name: string;
  /** The path of its subvolume, relative to the mount of the pool. */
  path: string;
  /** The size of its disk, and its initial usage, in bytes. */
  size: number;
  base: number;
  /** Files that were restored with it, for which simple quotas charge the snapshot. */
  restored: Set<string>;
  /** Serialises the actions on it. */
  turns: Turns;
}

export async function poolMount(): Promise<Mount> {
  const mount = await btrfsAt(poolDirectory(dirname(incusSocket()), incusPool()));
  if (!mount) throw new Error(`${incusPool()} is not mounted.`);
  return mount;
}

export const onIncus = (...args: string[]) =>
  incus({ socketPath: incusSocket(), names: { project: incusProject() } }, args);

/** The quota groups of a pool by path, while the accounting of the kernel is consistent. */
export async function countedGroups(mount: Mount): Promise<Map<string, Group>> {
  const read = async () => {
    if (isInconsistent(mount)) return undefined;
    const groups = await groupsOf(mount);
    return isInconsistent(mount) ? undefined : groups;
  };
  const groups = await until('the pool is counted', read, Boolean, healSeconds);
  return new Map((groups ?? []).map((group) => [group.path, group]));
}

const limitOf = async (mount: Mount, { path }: Pick<FullGuest, 'path'>) =>
  (await countedGroups(mount)).get(path)?.limit;

export async function untilHeld(mount: Mount, guest: Pick<FullGuest, 'path' | 'size'>) {
  const { path, size } = guest;
  const isHeld = (limit: number | null | undefined) => limit === size;
  await until(`${path} is limited to its size`, () => limitOf(mount, guest), isHeld, healSeconds);
}

/** Creates a server, and then makes its disk as small as possible. */
export async function fullGuest(mount: Mount, client: IncusClient): Promise<FullGuest> {
  const server = await created({ disk: 2, ram: 256 });
  const name = `srv-${server.uuid}`;
  const path = `containers/${incusProject()}_${name}`;
  const base = (await countedGroups(mount)).get(path)?.charged;
  if (base === undefined) throw new Error(`${name} has no group: it is ${server.status}.`);
  const size = (Math.ceil(base / mebibyte) + room) * mebibyte;
  const resize = ({ devices }: Pick<Instance, 'devices'>) => ({
    devices: { root: { ...devices.root, size: String(size) } },
  });
  await client.instances.change(name, resize, { timeoutSeconds: patienceSeconds });
  const guest = { server, name, path, size, base, restored: new Set<string>(), turns: inTurn() };
  await untilHeld(mount, guest);
  return guest;
}

/** Makes the guest write so many MiB, or until its disk is full. The default is twice its limit. */
export async function write({ name }: FullGuest, mebibytes = 2 * room): Promise<void> {
  const to = '/root/fill-$(date +%s%N)';
  // If its disk is full, it writes as much as possible, or nothing at all.
  const script = `(head -c ${mebibytes}M /dev/zero > ${to}) 2> /dev/null; sync; true`;
  await onIncus('exec', name, '--', 'sh', '-c', script);
}

/** Makes the guest remove what it wrote. */
export const clear = ({ name }: FullGuest) =>
  onIncus('exec', name, '--', 'sh', '-c', 'rm -f /root/fill-* && sync');

function filesOf(mount: Mount, { path }: FullGuest) {
  const folder = join(mount.path, path, 'rootfs/root');
  const names = readdirSync(folder).filter((name) => name.startsWith('fill-'));
  return names.map((name) => ({ name, bytes: lstatSync(join(folder, name)).blocks * 512 }));
}

/** To be called after it was restored, before it writes. */
export function noteRestored(mount: Mount, guest: FullGuest): void {
  // Classic quotas charge shared data to each subvolume.
  if (modeOf(mount) !== 'simple') return;
  guest.restored = new Set(filesOf(mount, guest).map(({ name }) => name));
  guest.base = 0;
}

/** The bytes that a guest uses, by the sizes of its files. */
export function writtenBy(mount: Mount, guest: FullGuest): number {
  const own = filesOf(mount, guest).filter(({ name }) => !guest.restored.has(name));
  return own.reduce((sum, { bytes }) => sum + bytes, guest.base);
}

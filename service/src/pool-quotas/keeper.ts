import { inTurn } from '../lib/in-turn.ts';
import { canAsRoot } from './as-root.ts';
import { clearStale, groupsOf, rescan, setLimit } from './btrfs.ts';
import { isInconsistent, modeOf, type QuotaMode } from './counting.ts';
import type { Group } from './groups.ts';
import type { Mount } from './mount.ts';
import { type Promised, promisedTo, type Sized } from './promise.ts';

/** What Incus may need to write in a full subvolume for one step. */
const roomBytes = 16 * 2 ** 20;
/** What several steps may lend to one that fills it each time. */
const mostBytes = 2 * roomBytes;

/** The limit of one server. */
export interface DiskLimit {
  charged: number;
  limit: number | null;
  promised: number;
}

/** Keeps the limits in force in a btrfs pool of this machine. */
export interface PoolKeeper {
  /** Whether it may change anything: Berth made the pool, and has the rights. */
  keeps(): boolean;
  mode(): QuotaMode;
  isInconsistent(): boolean;
  /**
   * Sets what is missing of what servers were promised. Answers which are still not held to it; undefined
   * without the rights to know. `report` is told why one could not be set.
   */
  compare(instances: Sized[], report: (error: unknown) => void): Promise<Sized[] | undefined>;
  /** Undefined where there is no such subvolume, or no quotas. */
  limitOf(instance: Sized): Promise<DiskLimit | undefined>;
  /** Counts all anew, once at a time; answers after how many seconds. */
  heal(signal: AbortSignal): Promise<number>;
  clearStale(): Promise<void>;
  /**
   * Runs a step of the engine on an instance, with its limit in force before and after. Meanwhile one that is
   * full may have a little more, since the engine writes to its subvolume, too. `report` is told why a limit
   * could not be set; the step is run all the same.
   */
  withRoom<T>(
    instance: Sized,
    step: () => Promise<T>,
    report: (error: unknown) => void,
  ): Promise<T>;
}

/** @param isOurs whether Berth made the pool, and may change what is in force there */
export function poolKeeper(mount: Mount, isOurs: boolean): PoolKeeper {
  /** Limits that are lifted for a step, by path. */
  const lifted = new Map<string, number>();
  /** What is lent beyond their sizes to those that hold more than is lent to others; by path. */
  const lent = new Map<string, number>();
  // What was read is to be true still when it is acted upon.
  const turns = inTurn();
  // The helper of a service that is not root comes and goes.
  const keeps = () => isOurs && canAsRoot();
  const wanted = ({ path, bytes }: Promised) => lifted.get(path) ?? bytes;
  const isAmiss = (group: Group, promised: Promised) => group.limit !== wanted(promised);

  async function groups(): Promise<Map<string, Group>> {
    if (modeOf(mount) === 'none') return new Map();
    return new Map((await groupsOf(mount)).map((group) => [group.path, group]));
  }

  /** Of those that there are here; of none there is nothing to tell. */
  async function amiss(instances: Sized[]) {
    const found = await groups();
    const hasNone = modeOf(mount) === 'none';
    return instances.flatMap((instance) => {
      const promised = promisedTo(instance);
      const group = promised && found.get(promised.path);
      if (!promised) return [];
      return hasNone || (group && isAmiss(group, promised)) ? [{ instance, promised }] : [];
    });
  }

  async function set(promised: Promised): Promise<void> {
    const group = (await groups()).get(promised.path);
    if (!group) lent.delete(promised.path);
    if (!group || !isAmiss(group, promised)) return;
    await setLimit(mount, promised.path, wanted(promised));
    const after = (await groups()).get(promised.path);
    if (after && isAmiss(after, promised)) {
      throw new Error(`The limit of ${promised.path} is ${after.limit}, not ${wanted(promised)}.`);
    }
  }

  /**
   * The most that a step may lend. One that wrote far beyond its size, while the kernel had lost count, is lent more than
   * what it held when it was first seen so: if it were what it holds, each step would give it more.
   */
  function mostFor({ path, bytes }: Promised, charged: number): number {
    if (charged <= bytes + mostBytes) lent.delete(path);
    else if (!lent.has(path)) lent.set(path, charged - bytes + mostBytes);
    return bytes + (lent.get(path) ?? mostBytes);
  }

  /** As much as a step needs. */
  async function lift({ path, bytes }: Promised): Promise<void> {
    const charged = (await groups()).get(path)?.charged ?? 0;
    const most = mostFor({ path, bytes }, charged);
    const needed = Math.max(bytes, charged) + roomBytes;
    if (charged + roomBytes > bytes) lifted.set(path, Math.min(needed, most));
    await set({ path, bytes });
  }

  return {
    keeps,
    mode: () => modeOf(mount),
    isInconsistent: () => isInconsistent(mount),
    async compare(instances, report) {
      if (!canAsRoot()) return undefined;
      return await turns.run(async () => {
        const before = await amiss(instances);
        if (!keeps() || before.length === 0) return before.map(({ instance }) => instance);
        for (const { promised } of before) await set(promised).catch(report);
        return (await amiss(before.map(({ instance }) => instance))).map((one) => one.instance);
      });
    },
    async limitOf(instance) {
      const promised = promisedTo(instance);
      if (!canAsRoot() || !promised) return undefined;
      const group = (await groups()).get(promised.path);
      return group && { charged: group.charged, limit: group.limit, promised: promised.bytes };
    },
    async heal(signal) {
      const begun = performance.now();
      await rescan(mount, signal);
      return (performance.now() - begun) / 1000;
    },
    clearStale: () => turns.run(() => clearStale(mount)),
    async withRoom(instance, step, report) {
      const promised = promisedTo(instance);
      if (!keeps() || !promised) return await step();
      await turns.run(() => lift(promised)).catch(report);
      try {
        return await step();
      } finally {
        lifted.delete(promised.path);
        await turns.run(() => set(promised)).catch(report);
      }
    },
  };
}

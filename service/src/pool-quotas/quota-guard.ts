import { inTurn } from '../lib/in-turn.ts';
import { canAsRoot } from './as-root.ts';
import { clearStale, groupsOf, rescan, setLimit } from './btrfs.ts';
import { isInconsistent, modeOf, type QuotaMode } from './counting.ts';
import { type DiskSize, diskSizeOf, type SizedInstance } from './disk-size.ts';
import type { Group } from './groups.ts';
import type { Mount } from './mount.ts';

/** What Incus may need to write to a full subvolume during one step. */
const stepHeadroomBytes = 16 * 2 ** 20;
/** The most headroom for a subvolume whose guest fills it up each time. */
const maxHeadroomBytes = 2 * stepHeadroomBytes;

/** The limit of one server's disk, in bytes. */
export interface DiskLimit {
  charged: number;
  limit: number | null;
  size: number;
}

/** Enforces the disk limits in a btrfs pool of this machine. */
export interface QuotaGuard {
  /** Whether it may change limits: Berth created the pool, and has the privileges. */
  canEnforce(): boolean;
  mode(): QuotaMode;
  isInconsistent(): boolean;
  /**
   * Sets the limits that are missing or wrong. Returns the instances whose limits are still wrong;
   * undefined without the privileges to tell. `report` gets the errors.
   */
  enforce(
    instances: SizedInstance[],
    report: (error: unknown) => void,
  ): Promise<SizedInstance[] | undefined>;
  /** Undefined if there is no such subvolume, or no quotas. */
  limitOf(instance: SizedInstance): Promise<DiskLimit | undefined>;
  /** Rescans the quotas; at most one rescan runs at a time. Returns the seconds that it took. */
  rescan(signal: AbortSignal): Promise<number>;
  clearStale(): Promise<void>;
  /**
   * Runs a step of the engine on an instance, with its limit in force before and after. During the
   * step a full disk gets some headroom, since the engine also writes to its subvolume. If a limit
   * can't be set, `report` gets the error and the step runs nevertheless.
   */
  withHeadroom<T>(
    instance: SizedInstance,
    step: () => Promise<T>,
    report: (error: unknown) => void,
  ): Promise<T>;
}

/**
 * @param isOurs whether Berth created the pool, and so may change its limits
 */
export function createQuotaGuard(mount: Mount, isOurs: boolean): QuotaGuard {
  /** Limits that are raised during a step, by path. */
  const raised = new Map<string, number>();
  /** The headroom of subvolumes that exceed the usual maximum, by path. */
  const headroom = new Map<string, number>();
  // Calls are serialised, so that what was read is still true when it is acted upon.
  const turns = inTurn();
  // The helper of a service that is not root may start and stop at any time.
  const canEnforce = () => isOurs && canAsRoot();
  const wanted = ({ path, bytes }: DiskSize) => raised.get(path) ?? bytes;
  const deviates = (group: Group, disk: DiskSize) => group.limit !== wanted(disk);

  async function groups(): Promise<Map<string, Group>> {
    if (modeOf(mount) === 'none') return new Map();
    return new Map((await groupsOf(mount)).map((group) => [group.path, group]));
  }

  /** Instances in this pool whose limit is wrong. Without quotas all limits are wrong. */
  async function findDeviating(instances: SizedInstance[]) {
    const found = await groups();
    const hasNone = modeOf(mount) === 'none';
    return instances.flatMap((instance) => {
      const disk = diskSizeOf(instance);
      const group = disk && found.get(disk.path);
      if (!disk) return [];
      return hasNone || (group && deviates(group, disk)) ? [{ instance, disk }] : [];
    });
  }

  async function set(disk: DiskSize): Promise<void> {
    const group = (await groups()).get(disk.path);
    if (!group) headroom.delete(disk.path);
    if (!group || !deviates(group, disk)) return;
    await setLimit(mount, disk.path, wanted(disk));
    const after = (await groups()).get(disk.path);
    if (after && deviates(after, disk)) {
      throw new Error(`The limit of ${disk.path} is ${after.limit}, not ${wanted(disk)}.`);
    }
  }

  /**
   * The highest limit during a step. A subvolume that grew far beyond its size while quotas were
   * inconsistent gets headroom on top of its usage when that was first seen. It does not grow with
   * its current usage, or each step would give it more.
   */
  function maxLimit({ path, bytes }: DiskSize, charged: number): number {
    if (charged <= bytes + maxHeadroomBytes) headroom.delete(path);
    else if (!headroom.has(path)) headroom.set(path, charged - bytes + maxHeadroomBytes);
    return bytes + (headroom.get(path) ?? maxHeadroomBytes);
  }

  /** Raises the limit by what one step needs. */
  async function raise({ path, bytes }: DiskSize): Promise<void> {
    const charged = (await groups()).get(path)?.charged ?? 0;
    const most = maxLimit({ path, bytes }, charged);
    const needed = Math.max(bytes, charged) + stepHeadroomBytes;
    if (charged + stepHeadroomBytes > bytes) raised.set(path, Math.min(needed, most));
    await set({ path, bytes });
  }

  return {
    canEnforce,
    mode: () => modeOf(mount),
    isInconsistent: () => isInconsistent(mount),
    async enforce(instances, report) {
      if (!canAsRoot()) return undefined;
      return await turns.run(async () => {
        const before = await findDeviating(instances);
        if (!canEnforce() || before.length === 0) return before.map(({ instance }) => instance);
        for (const { disk } of before) await set(disk).catch(report);
        return (await findDeviating(before.map(({ instance }) => instance))).map(
          (one) => one.instance,
        );
      });
    },
    async limitOf(instance) {
      const disk = diskSizeOf(instance);
      if (!canAsRoot() || !disk) return undefined;
      const group = (await groups()).get(disk.path);
      return group && { charged: group.charged, limit: group.limit, size: disk.bytes };
    },
    async rescan(signal) {
      const begun = performance.now();
      await rescan(mount, signal);
      return (performance.now() - begun) / 1000;
    },
    clearStale: () => turns.run(() => clearStale(mount)),
    async withHeadroom(instance, step, report) {
      const disk = diskSizeOf(instance);
      if (!canEnforce() || !disk) return await step();
      await turns.run(() => raise(disk)).catch(report);
      try {
        return await step();
      } finally {
        raised.delete(disk.path);
        await turns.run(() => set(disk)).catch(report);
      }
    },
  };
}

import { later, type Resolution } from './history.ts';

/** A partition at the time it was read. */
export interface Partition {
  name: string;
  from: Date;
  isEmpty: boolean;
  /** Whether it has rows that were not rolled up. */
  isDue: boolean;
  /** Whether there are finer rows of its time, from which it may be rolled up again. */
  hasFiner: boolean;
}

/** Partitions that are kept in addition: a clock that is wrong for a while fills one or two. */
const sparePartitions = 2;

/**
 * Whether everything in it is older than it must be kept, according to a clock that may be wrong.
 */
export function isOld({ from }: Pick<Partition, 'from'>, resolution: Resolution, now: Date) {
  return later(from, resolution.partitionSeconds + resolution.keptSeconds) <= now;
}

/**
 * The partitions of a table that may be dropped. The clock alone does not decide: rows are old only
 * if as much as is kept was stored after them, so that a clock which is years ahead for minutes
 * deletes nothing. Rows that were not rolled up stay until they fill the most partitions that are
 * allowed.
 */
export function droppablePartitions(
  partitions: Partition[],
  resolution: Resolution,
  now: Date,
): Partition[] {
  const { keptSeconds, partitionSeconds, mostPartitions } = resolution;
  const enough = Math.ceil(keptSeconds / partitionSeconds) + sparePartitions;
  const filled = partitions.filter(({ isEmpty, from }) => !isEmpty && from <= now);
  return partitions.filter((partition) => {
    if (!isOld(partition, resolution, now) || partition.hasFiner) return false;
    if (partition.isEmpty) return true;
    const newer = filled.filter(({ from }) => from > partition.from).length;
    return newer >= (partition.isDue ? mostPartitions : enough);
  });
}

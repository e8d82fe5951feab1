import { later, type Resolution } from './history.ts';

/** A partition, as it was looked at. */
export interface Partition {
  name: string;
  from: Date;
  isEmpty: boolean;
  /** Whether it has rows that the next coarser ones are not made of. */
  isDue: boolean;
  /** Whether finer rows of its time are there, which its own may have to be made of anew. */
  hasFiner: boolean;
}

/** One to spare: a clock that is wrong for a while fills one, or two, that prove nothing. */
const spare = 2;

/** Whether all that it may hold is older than it is kept; by the clock, which may be wrong. */
export function isOld({ from }: Pick<Partition, 'from'>, resolution: Resolution, now: Date) {
  return later(from, resolution.partitionSeconds + resolution.keptSeconds) <= now;
}

/**
 * Which of a table's partitions may go. That the clock says so is not enough: rows are old when as much
 * as is kept was stored after them. A clock that is years ahead, for minutes, deletes nothing so. Rows
 * that the coarser ones are not made of stay, until they fill as many partitions as there may be.
 */
export function oldOnes(partitions: Partition[], resolution: Resolution, now: Date): Partition[] {
  const { keptSeconds, partitionSeconds, mostPartitions } = resolution;
  const enough = Math.ceil(keptSeconds / partitionSeconds) + spare;
  const filled = partitions.filter(({ isEmpty, from }) => !isEmpty && from <= now);
  return partitions.filter((partition) => {
    if (!isOld(partition, resolution, now) || partition.hasFiner) return false;
    if (partition.isEmpty) return true;
    const newer = filled.filter(({ from }) => from > partition.from).length;
    return newer >= (partition.isDue ? mostPartitions : enough);
  });
}

/**
 * A table of the history: the step of its rows, how long they are kept, and the length of a
 * partition.
 */
export interface Resolution {
  table: 'usage_15s' | 'usage_5m' | 'usage_1h';
  stepSeconds: number;
  /** The minimum retention, in seconds. */
  keptSeconds: number;
  partitionSeconds: number;
  /** The most partitions whose rows could not be rolled up. */
  mostPartitions: number;
}

const hour = 3600;
const day = 24 * hour;

/** From fine to coarse. Each is rolled up from the one before. */
export const resolutions = [
  {
    table: 'usage_15s',
    stepSeconds: 15,
    keptSeconds: 2 * hour,
    partitionSeconds: hour,
    mostPartitions: 72,
  },
  {
    table: 'usage_5m',
    stepSeconds: 300,
    keptSeconds: 7 * day,
    partitionSeconds: day,
    mostPartitions: 30,
  },
  {
    table: 'usage_1h',
    stepSeconds: hour,
    // 13 months of any length.
    keptSeconds: 397 * day,
    partitionSeconds: 30 * day,
    mostPartitions: Number.POSITIVE_INFINITY,
  },
] as const satisfies Resolution[];

/** The next coarser table; undefined for the coarsest. */
export const coarserThan = ({ table }: Resolution): Resolution | undefined =>
  resolutions[resolutions.findIndex((one) => one.table === table) + 1];

/** The next finer table; undefined for the finest. */
export const finerThan = ({ table }: Resolution): Resolution | undefined =>
  resolutions[resolutions.findIndex((one) => one.table === table) - 1];

/**
 * The beginning of the span of so many seconds that contains a time. Spans are counted from 1970.
 */
export function beginningOf(time: Date, seconds: number): Date {
  const length = seconds * 1000;
  return new Date(Math.floor(time.getTime() / length) * length);
}

export const later = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000);

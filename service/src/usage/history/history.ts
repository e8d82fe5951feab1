/** A table of the history: what its rows are of, how long they are kept, and what a partition holds. */
export interface Resolution {
  table: 'usage_15s' | 'usage_5m' | 'usage_1h';
  stepSeconds: number;
  /** At least. */
  keptSeconds: number;
  partitionSeconds: number;
  /** How many partitions there may be at most of rows that the next coarser ones can't be made of. */
  mostPartitions: number;
}

const hour = 3600;
const day = 24 * hour;

/** The finest first. Each is made from the one before. */
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
    // 13 months, whichever they are.
    keptSeconds: 397 * day,
    partitionSeconds: 30 * day,
    mostPartitions: Number.POSITIVE_INFINITY,
  },
] as const satisfies Resolution[];

/** What is made of its rows; undefined for the coarsest. */
export const coarserThan = ({ table }: Resolution): Resolution | undefined =>
  resolutions[resolutions.findIndex((one) => one.table === table) + 1];

/** What its rows are made of; undefined for the finest. */
export const finerThan = ({ table }: Resolution): Resolution | undefined =>
  resolutions[resolutions.findIndex((one) => one.table === table) - 1];

/** The beginning of the span of so many seconds that a time is in; spans are counted from 1970. */
export function beginningOf(time: Date, seconds: number): Date {
  const length = seconds * 1000;
  return new Date(Math.floor(time.getTime() / length) * length);
}

export const later = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000);

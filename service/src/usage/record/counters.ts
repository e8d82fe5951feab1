/** Counters of a server since its guest started. */
export interface Counters {
  /** Busy time of all cores together. */
  cpuSeconds: number;
  /** Bytes; null if they are not counted. */
  diskRead: number | null;
  diskWritten: number | null;
}

/** The counters that were recorded last. */
export interface Counted extends Counters {
  /** From the sequence `usage_readings`: a reading that began before this number is too late. */
  recorded: number;
  /** When they were read, in milliseconds since 1970. */
  at: number;
}

/** The usage between two readings; null if one of them is unknown. */
export interface Use {
  /** Percent of all cores of the server, from 0 to 100. */
  cpuPercent: number | null;
  diskRead: number | null;
  diskWritten: number | null;
}

interface ReadCounters extends Counters {
  at: number;
  cores: number;
}

/** A counter that fell was reset: its whole value is new. */
export function usageSince(last: Counted | undefined, read: ReadCounters): Use {
  return {
    cpuPercent: last ? cpuPercent(last, read) : null,
    diskRead: growth(last?.diskRead, read.diskRead),
    diskWritten: growth(last?.diskWritten, read.diskWritten),
  };
}

function cpuPercent(last: Counted, { at, cores, cpuSeconds }: ReadCounters): number | null {
  const seconds = (at - last.at) / 1000;
  if (seconds <= 0) return null;
  // A small decrease is not a reset, because the counter is a sum of many rounded values.
  const hasBegunAnew = cpuSeconds < last.cpuSeconds / 2;
  const used = hasBegunAnew ? cpuSeconds : cpuSeconds - last.cpuSeconds;
  const percent = Math.min(100, Math.max(0, (used / seconds / cores) * 100));
  // The smallest values are out of the range of PostgreSQL's `real`.
  return Math.round(percent * 1e4) / 1e4;
}

function growth(last: number | null | undefined, read: number | null): number | null {
  if (last == null || read === null) return null;
  return read < last ? read : read - last;
}

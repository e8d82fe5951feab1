/** Counters of a server since its guest started. */
export interface Counters {
  /** Busy time of all cores together. */
  cpuSeconds: number;
  /** Bytes; null where they are not counted. */
  diskRead: number | null;
  diskWritten: number | null;
}

/** What they were when they were counted last. */
export interface Counted extends Counters {
  /** Of `usage_readings`: a reading that began before this came too late. */
  recorded: number;
  /** When they were read, in milliseconds since 1970. */
  at: number;
}

/** What was used between two readings; null where one of them is not known. */
export interface Use {
  /** Of the server's cores, from 0 to 100. */
  cpuPercent: number | null;
  diskRead: number | null;
  diskWritten: number | null;
}

interface ReadCounters extends Counters {
  at: number;
  cores: number;
}

/** A counter that fell has begun anew: all that it shows is new. */
export function useSince(last: Counted | undefined, read: ReadCounters): Use {
  return {
    cpuPercent: last ? cpuPercent(last, read) : null,
    diskRead: growth(last?.diskRead, read.diskRead),
    diskWritten: growth(last?.diskWritten, read.diskWritten),
  };
}

function cpuPercent(last: Counted, { at, cores, cpuSeconds }: ReadCounters): number | null {
  const seconds = (at - last.at) / 1000;
  if (seconds <= 0) return null;
  // Less than half: it is a sum of many, each of which is rounded.
  const hasBegunAnew = cpuSeconds < last.cpuSeconds / 2;
  const used = hasBegunAnew ? cpuSeconds : cpuSeconds - last.cpuSeconds;
  const percent = Math.min(100, Math.max(0, (used / seconds / cores) * 100));
  // What is next to nothing is out of the range of PostgreSQL's `real`.
  return Math.round(percent * 1e4) / 1e4;
}

function growth(last: number | null | undefined, read: number | null): number | null {
  if (last == null || read === null) return null;
  return read < last ? read : read - last;
}

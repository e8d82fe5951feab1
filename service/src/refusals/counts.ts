import type { AuditEntry } from '../audit/entry-queries.ts';
import { callerOf, historyOf, kindOf } from './kinds.ts';
import { entryOf, joined, type Tally, tallyOf } from './tally.ts';

/** How long refusals of one kind are aggregated into one entry. */
export const countingMs = 60_000;

/**
 * The number of kinds that are distinguished at a time, per caller, per history and per service. Each causes at most
 * two entries per minute.
 */
export const maxKinds = { ofCaller: 20, inHistory: 100, inAll: 10_000 };

interface Counting {
  begunAt: number;
  /** The refusals that were not entered yet. */
  tally: Tally | undefined;
  /** The callers and histories whose limits it counts for. */
  shares: string[];
}

export interface RefusalCounts {
  /** Enters a refusal, or aggregates it with those of the same kind. */
  add(entry: AuditEntry): Promise<void>;
  /** Enters the aggregated refusals whose time is over, or all of them. */
  flush(all?: boolean): Promise<void>;
}

/**
 * Limits the number of entries for refusals. The first one of a kind is entered at once, and all
 * within the following minute as a single entry. If a caller or a history has too many kinds, the
 * others are aggregated into one kind, which costs one entry a minute. The counts are in memory, so
 * that a crash loses those of the last minute. An entry that can't be written is retried at the
 * next flush.
 */
export function countRefusals(enter: (entry: AuditEntry) => Promise<void>): RefusalCounts {
  const countings = new Map<string, Counting>();
  const taken = new Map<string, number>();

  function begin(key: string, ...shares: string[]): Counting {
    const counting = { begunAt: performance.now(), tally: undefined, shares };
    countings.set(key, counting);
    for (const share of shares) taken.set(share, (taken.get(share) ?? 0) + 1);
    return counting;
  }

  function forget(key: string, { shares }: Counting): void {
    countings.delete(key);
    for (const share of shares) {
      const left = (taken.get(share) ?? 0) - 1;
      if (left > 0) taken.set(share, left);
      else taken.delete(share);
    }
  }

  const hasRoom = (share: string, most: number) =>
    (taken.get(share) ?? 0) < most && countings.size < maxKinds.inAll;

  /** The kind under which refusals beyond the limit are counted. */
  function restOf(caller: string, history: string): Counting {
    const ofCaller = `rest of ${caller}`;
    const known = countings.get(ofCaller);
    if (known) return known;
    const inHistory = `in ${history}`;
    if (hasRoom(inHistory, maxKinds.inHistory)) return begin(ofCaller, inHistory);
    const ofHistory = `rest in ${history}`;
    return countings.get(ofHistory) ?? begin(ofHistory);
  }

  async function end(key: string, counting: Counting): Promise<void> {
    const { tally } = counting;
    if (!tally) return forget(key, counting);
    // Later refusals are counted from here on.
    Object.assign(counting, { begunAt: performance.now(), tally: undefined });
    try {
      await enter(entryOf(tally));
    } catch (error) {
      counting.tally = joined(tally, counting.tally);
      throw error;
    }
  }

  return {
    async add(entry) {
      const [kind, caller, history] = [kindOf(entry), callerOf(entry), historyOf(entry)];
      const [ofCaller, inHistory] = [`of ${caller}`, `in ${history}`];
      const tally = tallyOf(entry);
      const isFirst =
        !countings.has(kind) &&
        hasRoom(ofCaller, maxKinds.ofCaller) &&
        hasRoom(inHistory, maxKinds.inHistory);
      if (!isFirst) {
        const counting = countings.get(kind) ?? restOf(caller, history);
        counting.tally = joined(counting.tally, tally);
        return;
      }
      const counting = begin(kind, ofCaller, inHistory);
      try {
        await enter(entry);
      } catch (error) {
        counting.tally = joined(tally, counting.tally);
        throw error;
      }
    },
    async flush(all = false) {
      const ended = performance.now() - countingMs;
      const due = [...countings].filter(([, { begunAt }]) => all || begunAt <= ended);
      for (const [key, counting] of due) await end(key, counting);
    },
  };
}

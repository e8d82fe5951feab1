import type { AuditEntry } from '../audit/entry-queries.ts';
import { callerOf, historyOf, kindOf } from './kinds.ts';
import { entryOf, joined, type Tally, tallyOf } from './tally.ts';

/** How long refusals of one kind are counted before they are entered as one. */
export const countingMs = 60_000;

/**
 * How many kinds are told apart at a time: of a caller, in a history, and by this service. Each costs two
 * entries a minute at most.
 */
export const maxKinds = { ofCaller: 20, inHistory: 100, inAll: 10_000 };

interface Counting {
  begunAt: number;
  /** What has not been entered. */
  tally: Tally | undefined;
  /** Of whose share it takes a place. */
  shares: string[];
}

export interface RefusalCounts {
  /** Enters it, or counts it with the ones like it. */
  add(entry: AuditEntry): Promise<void>;
  /** Enters what has been counted for long enough, or all of it. */
  flush(all?: boolean): Promise<void>;
}

/**
 * Has refusals cost few entries, however many there are: the first one of a kind is entered at once, and
 * those within the minute after it as one. What is of more kinds than a caller or a history has places for is
 * counted as the rest of that caller, or of that history, which costs one entry a minute. In memory: a crash
 * loses that minute's count. An entry that can't be written is tried again at the next flush.
 */
export function countRefusals(enter: (entry: AuditEntry) => Promise<void>): RefusalCounts {
  const countings = new Map<string, Counting>();
  const taken = new Map<string, number>();

  function begin(key: string, shares: string[]): Counting {
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

  /** Where it is counted for which there is no place of its own. */
  function restOf(caller: string, history: string): Counting {
    const ofCaller = `rest of ${caller}`;
    const known = countings.get(ofCaller);
    if (known) return known;
    const inHistory = `in ${history}`;
    if (hasRoom(inHistory, maxKinds.inHistory)) return begin(ofCaller, [inHistory]);
    const ofHistory = `rest in ${history}`;
    return countings.get(ofHistory) ?? begin(ofHistory, []);
  }

  async function end(key: string, counting: Counting): Promise<void> {
    const { tally } = counting;
    if (!tally) return forget(key, counting);
    // Who goes on is counted from here.
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
      const counting = begin(kind, [ofCaller, inHistory]);
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

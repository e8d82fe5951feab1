import type { AuditEntry } from '../audit/entry-queries.ts';

/** How long the same refusals are counted before they are entered as one. */
export const countingMs = 60_000;
/** Of what is counted at a time; whoever comes from very many addresses is entered more often instead. */
const mostKeys = 10_000;

interface Counting {
  /** As the last of them was, but for a target that they do not share. */
  entry: AuditEntry;
  begunAt: number;
  count: number;
  firstAt: number;
  lastAt: number;
}

export interface RefusalCounts {
  /** Enters it, or counts it with the ones like it. */
  add(entry: AuditEntry): Promise<void>;
  /** Enters what has been counted for long enough, or all of it. */
  flush(all?: boolean): Promise<void>;
}

/**
 * Has a caller's refusals of one kind cost an entry a minute, however many there are: the first one is
 * entered at once, and those within the minute after it as one. In memory: a crash loses that minute's
 * count. An entry that can't be written is tried again at the next flush.
 */
export function countRefusals(enter: (entry: AuditEntry) => Promise<void>): RefusalCounts {
  const countings = new Map<string, Counting>();

  async function end(key: string, counting: Counting): Promise<void> {
    if (counting.count === 0) return void countings.delete(key);
    const { entry, count, firstAt, lastAt } = counting;
    // Who goes on is counted from here.
    Object.assign(counting, begin(entry));
    try {
      await enter({ ...entry, counted: counted(count, firstAt, lastAt) });
    } catch (error) {
      if (counting.count === 0) Object.assign(counting, { entry, lastAt });
      else counting.entry = merged(entry, counting.entry);
      counting.firstAt = firstAt;
      counting.count += count;
      throw error;
    }
  }

  return {
    async add(entry) {
      const key = keyOf(entry);
      const counting = countings.get(key);
      if (!counting) {
        countings.set(key, begin(entry));
        await makeRoom();
        return await enter(entry);
      }
      const now = performance.now();
      if (counting.count === 0) counting.firstAt = now;
      counting.entry = counting.count === 0 ? entry : merged(counting.entry, entry);
      counting.count += 1;
      counting.lastAt = now;
    },
    async flush(all = false) {
      const ended = performance.now() - countingMs;
      const due = [...countings].filter(([, { begunAt }]) => all || begunAt <= ended);
      for (const [key, counting] of due) await end(key, counting);
    },
  };

  async function makeRoom(): Promise<void> {
    const [oldest] = countings;
    if (countings.size <= mostKeys || !oldest) return;
    const [key, counting] = oldest;
    countings.delete(key);
    await end(key, counting);
  }
}

function counted(count: number, firstAt: number, lastAt: number) {
  const secondsSince = (at: number) => (performance.now() - at) / 1000;
  return { count, firstSecondsAgo: secondsSince(firstAt), lastSecondsAgo: secondsSince(lastAt) };
}

function begin(entry: AuditEntry): Counting {
  const now = performance.now();
  return { entry, begunAt: now, count: 0, firstAt: now, lastAt: now };
}

/**
 * What is alike but for what its path names, and which request it was. Where nobody is known, such as at a
 * sign-in, the target is whom it was tried on, and tells apart.
 */
function keyOf(entry: AuditEntry): string {
  const { requestId: _, target, details: __, ...alike } = entry;
  const isKnown = entry.tokenId !== null || entry.userId !== null;
  return JSON.stringify(isKnown ? alike : { ...alike, target });
}

function merged(one: AuditEntry, other: AuditEntry): AuditEntry {
  const isSame = one.target?.kind === other.target?.kind && one.target?.id === other.target?.id;
  return { ...other, target: isSame ? other.target : null };
}

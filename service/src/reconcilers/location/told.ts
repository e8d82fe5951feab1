/**
 * What this process has logged of each location, so that it is logged once. It outlasts a change of leadership back and
 * forth. Another service says it once, too: who reads its log need not have this one's, and a table in the database would
 * cost more than the line.
 */
export interface Told {
  /** Whether these words about a topic of a location are not those of before; empty words never are. */
  isNew(locationId: number, topic: string, words: string): boolean;
}

export function createTold(): Told {
  const last = new Map<string, string>();
  return {
    isNew(locationId, topic, words) {
      const key = `${locationId} ${topic}`;
      const before = last.get(key);
      last.set(key, words);
      return words !== '' && words !== before;
    },
  };
}

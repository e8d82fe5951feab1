/**
 * Remembers the last message that this process logged about each topic of a location, so that it is not logged again.
 * It is kept when the process no longer leads the location, and is used if it leads the location again. Other services
 * log the message as well: their logs may be read separately, and a table in the database would cost more than a line.
 */
export interface Told {
  /** Whether a message about a topic of a location differs from the last one. An empty message is never new. */
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

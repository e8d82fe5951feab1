/** A key uses a queue for so long after it has entered it. */
export const inUseMs = 1000;

/** Tells whether a key uses a queue alone. */
export interface Others<K> {
  /** Notes that a key uses the queue now. */
  entered(key: K): void;
  /** Whether another key than this one uses the queue. */
  areBeside(key: K): boolean;
}

/**
 * Remembers the last two keys that entered a queue.
 * @param now returns the current time in milliseconds
 */
export function watchOthers<K>(now = () => performance.now()): Others<K> {
  let last: { key: K; at: number } | undefined;
  let lastOther: typeof last;
  return {
    entered(key) {
      if (last && last.key !== key) lastOther = last;
      last = { key, at: now() };
    },
    areBeside(key) {
      const other = last?.key === key ? lastOther : last;
      return other !== undefined && now() - other.at < inUseMs;
    },
  };
}

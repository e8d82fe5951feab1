/** The last bytes of an output. */
export interface Recent {
  add(bytes: Buffer): void;
  /** A copy of them. */
  read(): Buffer;
}

/** Keeps so many bytes. They are copied, because a small piece of a message would keep all of that in memory. */
export function createRecent(most: number): Recent {
  const ring = Buffer.alloc(most);
  /** Where the next byte goes, and the oldest one is once the ring is full. */
  let end = 0;
  let isFull = false;
  return {
    add(bytes) {
      const kept = bytes.subarray(-most);
      const fitting = kept.copy(ring, end);
      kept.copy(ring, 0, fitting);
      isFull ||= end + kept.length >= most;
      end = (end + kept.length) % most;
    },
    read: () =>
      isFull
        ? Buffer.concat([ring.subarray(end), ring.subarray(0, end)])
        : Buffer.from(ring.subarray(0, end)),
  };
}

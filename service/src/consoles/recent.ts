/** The last bytes of an output. */
export interface Recent {
  add(bytes: Buffer): void;
  clear(): void;
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
    clear() {
      end = 0;
      isFull = false;
    },
    read: () =>
      isFull
        ? Buffer.concat([ring.subarray(end), ring.subarray(0, end)])
        : Buffer.from(ring.subarray(0, end)),
  };
}

/** What a console has shown last, and the run of the guest that has. */
export interface Kept {
  run: string | undefined;
  recent: Recent;
}

/** Keeps the last output of so many consoles, of so many bytes each: Incus tells what it has kept only once. */
export function keepRecent(mostConsoles: number, mostBytes: number): (serverId: number) => Kept {
  const kept = new Map<number, Kept>();
  return (serverId) => {
    const one = kept.get(serverId) ?? { run: undefined, recent: createRecent(mostBytes) };
    kept.delete(serverId);
    kept.set(serverId, one);
    const [longestAgo] = kept.keys();
    if (kept.size > mostConsoles && longestAgo !== undefined) kept.delete(longestAgo);
    return one;
  };
}

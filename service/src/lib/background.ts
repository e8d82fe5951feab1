export interface Background {
  /** Starts work in the background; `onError` gets its error. */
  run(work: () => Promise<void>, onError: (error: unknown) => void): void;
  /** Resolves when all work has ended. */
  idle(): Promise<void>;
}

/** Runs work in the background, and waits for all of it at the end. */
export function background(): Background {
  const underWay = new Set<Promise<void>>();
  return {
    run(work, onError) {
      const running = (async () => await work())()
        .catch(onError)
        .finally(() => underWay.delete(running));
      underWay.add(running);
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

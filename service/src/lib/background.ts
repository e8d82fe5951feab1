export interface Background {
  /** Begins it now, beside all else; `onError` is told of its error. */
  run(work: () => Promise<void>, onError: (error: unknown) => void): void;
  /** Resolves when nothing of it runs any more. */
  idle(): Promise<void>;
}

/** Work whose end nobody awaits, until all ends. */
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

export interface Turns {
  /** Runs it once all before it have ended, however they did. Its end is the caller's to await. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The same for work that nobody awaits: `onError` gets its error. */
  add(work: () => Promise<void>, onError: (error: unknown) => void): void;
  /** Resolves when all that was asked for until now has ended; never rejects. */
  idle(): Promise<void>;
}

/** Runs what it is given one after the other; what failed keeps nothing else from running. */
export function inTurn(): Turns {
  let last: Promise<unknown> = Promise.resolve();

  function run<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work, work);
    last = done;
    return done;
  }

  return {
    run,
    add(work, onError) {
      last = run(work).catch(onError);
    },
    async idle() {
      await Promise.allSettled([last]);
    },
  };
}

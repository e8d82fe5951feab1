export interface Turns {
  /** Runs work after all previous work has ended, even if that has failed. Returns its result to the caller. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Does the same for work that nobody awaits. `onError` gets its error. */
  add(work: () => Promise<void>, onError: (error: unknown) => void): void;
  /** Resolves when all work that was given so far has ended; never rejects. */
  idle(): Promise<void>;
}

/** Runs work one after the other. Failed work does not prevent later work. */
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

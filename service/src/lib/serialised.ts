import pLimit from 'p-limit';

export interface Serialised {
  /**
   * Runs the work for this key now, or once more after the run in progress. No hint is lost, and hints do not
   * accumulate.
   */
  run(key: string): void;
  /** Resolves when all runs have ended. */
  idle(): Promise<void>;
}

/**
 * Runs `work` one at a time for each key. Errors go to `onError`.
 * @param atOnce the maximum number of keys for which it runs at the same time. The others wait in their order.
 */
export function serialised(
  work: (key: string) => Promise<void>,
  onError: (error: unknown) => void,
  atOnce?: number,
): Serialised {
  const inTurn =
    atOnce === undefined ? async (start: () => Promise<void>) => await start() : pLimit(atOnce);
  const running = new Map<string, Promise<void>>();
  const again = new Set<string>();

  async function repeat(key: string): Promise<void> {
    do {
      await inTurn(async () => {
        again.delete(key);
        await work(key);
      }).catch(onError);
    } while (again.has(key));
    // There is no `await` since the last check: a hint in between would be lost.
    running.delete(key);
  }

  return {
    run(key) {
      if (running.has(key)) again.add(key);
      else running.set(key, repeat(key));
    },
    async idle() {
      await Promise.all(running.values());
    },
  };
}

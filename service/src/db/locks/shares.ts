/**
 * How many are handed over per heartbeat: the process that takes one over has to sync all of it.
 */
const maxHandovers = 4;

export interface Led {
  /** Aborted when another process should lead it. */
  handing: AbortController;
  /** Aborted when it need not be led any more. */
  signal: AbortSignal;
}

/** What this process leads, compared with its share. */
export interface Shares {
  /** Registers a name that should be led, by any process, until the signal aborts. */
  want(signal: AbortSignal): void;
  isAnyWanted(): boolean;
  /** Whether this process leads its share, if there are so many processes. */
  isFull(sessions: number): boolean;
  begin(name: string, led: Led): void;
  /** To be called after the work has ended. */
  end(name: string): void;
  /** What should be handed over to other processes, if there are so many. */
  excess(sessions: number): [name: string, led: Led][];
}

/**
 * @param noneWanted called when nothing needs to be led any more
 */
export function createShares(noneWanted: () => void): Shares {
  let wanted = 0;
  /** The names that this process leads until their work has ended, the oldest first. */
  const led = new Map<string, Led>();
  const share = (sessions: number) => Math.ceil(wanted / sessions);
  /**
   * Without those that need not be led any more: their work may take long to end, and no share
   * counts them.
   */
  const wantedAndLed = () => [...led].filter(([, { signal }]) => !signal.aborted);

  return {
    want(signal) {
      wanted += 1;
      // Called at once, so that a slow end does not keep others from taking the rest.
      const stop = () => {
        wanted -= 1;
        if (wanted === 0) noneWanted();
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    },
    isAnyWanted: () => wanted > 0,
    isFull: (sessions) => wantedAndLed().length >= share(sessions),
    begin: (name, one) => led.set(name, one),
    end: (name) => led.delete(name),
    excess(sessions) {
      const kept = wantedAndLed().filter(([, { handing }]) => !handing.signal.aborted);
      const many = Math.min(kept.length - share(sessions), maxHandovers);
      // The oldest are handed over, because new ones may still be starting.
      return kept.slice(0, Math.max(0, many));
    },
  };
}

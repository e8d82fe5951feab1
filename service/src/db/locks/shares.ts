/**
 * The maximum number of names that are handed over per heartbeat, because the process that takes one over must sync it.
 */
const maxHandovers = 4;

export interface Led {
  /** Aborted when another process should lead the name. */
  handing: AbortController;
  /** Aborted when the name need not be led any more. */
  signal: AbortSignal;
}

/** The names that this process leads, compared with its share. */
export interface Shares {
  /** Registers a name that should be led, by any process, until the signal aborts. */
  want(signal: AbortSignal): void;
  isAnyWanted(): boolean;
  /** Whether this process leads its share, given the number of processes with a lock session. */
  isFull(sessions: number): boolean;
  begin(name: string, led: Led): void;
  /** Must be called after the work has ended. */
  end(name: string): void;
  /** The names that should be handed over to other processes, given the number of lock sessions. */
  excess(sessions: number): [name: string, led: Led][];
}

/**
 * @param noneWanted called when no name needs to be led any more
 */
export function createShares(noneWanted: () => void): Shares {
  let wanted = 0;
  /** The names that this process leads, until their work has ended. The oldest is first. */
  const led = new Map<string, Led>();
  const share = (sessions: number) => Math.ceil(wanted / sessions);
  /**
   * The names without those that need not be led any more. The work of those may take long to end, but they count in no
   * share.
   */
  const wantedAndLed = () => [...led].filter(([, { signal }]) => !signal.aborted);

  return {
    want(signal) {
      wanted += 1;
      // Runs at the abort, so that work that ends slowly does not prevent others from taking over the rest.
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
      // The oldest names are handed over, because the work of new ones may still be starting.
      return kept.slice(0, Math.max(0, many));
    },
  };
}

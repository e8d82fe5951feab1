/** Handed over at a sign of life: whoever takes one over has to look at all of it anew. */
const handedOverAtOnce = 4;

export interface Led {
  /** Aborted when another process is to lead it. */
  handing: AbortController;
  /** Aborted when it need not be led any more. */
  signal: AbortSignal;
}

/** What this process leads, and how much of what is to be led is its share. */
export interface Shares {
  /** One name more is to be led, by this process or another one, until the signal aborts. */
  want(signal: AbortSignal): void;
  isAnyWanted(): boolean;
  /** Whether this process leads its share, of so many processes. */
  isFull(sessions: number): boolean;
  begin(name: string, led: Led): void;
  /** After its work has ended. */
  end(name: string): void;
  /** What another process is to lead, of so many processes. */
  excess(sessions: number): [name: string, led: Led][];
}

/** @param noneWanted called when nothing is to be led any more */
export function createShares(noneWanted: () => void): Shares {
  let wanted = 0;
  /** What this process leads, the longest led first, until its work has ended. */
  const led = new Map<string, Led>();
  const share = (sessions: number) => Math.ceil(wanted / sessions);
  /** Without names that need not be led any more, whose work may take long to end: no share counts them. */
  const wantedAndLed = () => [...led].filter(([, { signal }]) => !signal.aborted);

  return {
    want(signal) {
      wanted += 1;
      // At once: what ends slowly here is not to keep the others from taking the rest.
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
      const many = Math.min(kept.length - share(sessions), handedOverAtOnce);
      // Those led longest: what is new may still be prepared.
      return kept.slice(0, Math.max(0, many));
    },
  };
}

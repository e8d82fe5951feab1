import { inspect } from 'node:util';

/**
 * A second signal within this time, in milliseconds, counts as the same one: a Ctrl-C reaches both
 * npm and this process, and npm passes its own on.
 */
const sameWishMs = 2000;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Why a start or a service ended on request. */
export class Interrupted extends Error {
  constructor(by: string) {
    super(`Berth was stopped (${by})`);
  }
}

function endBadly(error: unknown): void {
  process.stderr.write(`${inspect(error)}\n`);
  process.exit(1);
}

export interface Interruption {
  /** Aborted by the first signal, and by `stop`. */
  readonly signal: AbortSignal;
  /** Whether the rest of the stop is skipped, and the process about to end. */
  readonly isSkipping: boolean;
  /** Stops the service as a signal does. */
  stop(reason: Error): void;
  /** Registers `end`, which runs even if the rest of a stop is skipped. */
  always(end: () => Promise<void>): void;
}

/**
 * Listens for Ctrl-C, for a terminal that is closed, and for the end of the process that started this one and
 * holds a channel to it. The first of them aborts `signal`. Another one more than 2 s later skips the waits of a stop:
 * it runs only the functions that were registered by `always`, and ends the process with 1.
 */
export function listenForInterruption(say: (text: string) => void): Interruption {
  const stopping = new AbortController();
  const ends: (() => Promise<void>)[] = [];
  let isSkipping = false;
  let wishedAt = 0;

  function stop(reason: Error): void {
    if (stopping.signal.aborted) return;
    wishedAt = performance.now();
    stopping.abort(reason);
  }

  async function skip(): Promise<void> {
    isSkipping = true;
    say('Stopping at once: open requests are aborted, and operations continue at the next start.');
    for (const { status, ...end } of await Promise.allSettled(ends.map((each) => each()))) {
      if (status === 'rejected') process.stderr.write(`${inspect(end)}\n`);
    }
    process.exit(1);
  }

  function interrupt(by: string): void {
    if (!stopping.signal.aborted) stop(new Interrupted(by));
    else if (!isSkipping && performance.now() - wishedAt > sameWishMs) skip().catch(endBadly);
  }

  for (const name of signals) process.on(name, interrupt);
  process.once('disconnect', () => interrupt('disconnected'));
  // Listening to the channel must not keep the process alive.
  process.channel?.unref();
  return {
    signal: stopping.signal,
    get isSkipping() {
      return isSkipping;
    },
    stop,
    always: (end) => {
      ends.push(end);
    },
  };
}

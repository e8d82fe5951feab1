import type { Clock } from '../reconciler-runtime/timing.ts';

export interface FakeClock extends Clock {
  /** Advances the time. Timers fire in order, and after each one all pending promises run. */
  pass(milliseconds: number): Promise<void>;
}

/** A clock that stands still at zero until it is advanced. */
export function fakeClock(): FakeClock {
  let time = 0;
  const due = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => time,
    elapsed: () => time,
    after(milliseconds, callback) {
      const timer = { at: time + milliseconds, callback };
      due.add(timer);
      return () => due.delete(timer);
    },
    async pass(milliseconds) {
      const end = time + milliseconds;
      for (;;) {
        await settle();
        const [next] = [...due].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        due.delete(next);
        time = next.at;
        next.callback();
      }
      time = end;
    },
  };
}

/** Waits until no more promises resolve. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

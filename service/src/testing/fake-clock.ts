import type { Clock } from '../reconciler-runtime/timing.ts';

export interface FakeClock extends Clock {
  /** Lets time pass: what is due begins in its order, each followed by all that needs no time. */
  pass(milliseconds: number): Promise<void>;
}

/** A clock that stands still, at zero, until it is told. */
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

/** Until no promise leads to another one any more. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

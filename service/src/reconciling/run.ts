import type { Logger } from 'pino';
import { serialised } from '../lib/serialised.ts';
import { type Clock, pauseOn } from './clock.ts';
import { all, type Reconciler, type RunContext, type Tell } from './define.ts';
import type { Run, RunObserver } from './observer.ts';

export interface RunOptions<Subject, Topic extends string> {
  subject: Subject;
  location: string;
  /** Aborted when nothing is to run any more. */
  signal: AbortSignal;
  log: Logger;
  /** Told of errors in place of the log. */
  report?: ((error: unknown) => void) | undefined;
  observer: RunObserver | undefined;
  clock: Clock;
  tell: Tell<Topic>;
}

const aborted = { outcome: 'aborted', found: undefined, error: undefined } as const;

/** The runs of one reconciler: one at a time for each key. */
export interface Runs {
  /** Runs for this key now, or once more after the run under way. */
  ask(key: string): void;
  /** Aborts what is under way. */
  abort(): void;
  /** Resolves when nothing of it runs any more. */
  idle(): Promise<void>;
}

export function runsOf<Subject, Topic extends string>(
  reconciler: Reconciler<Subject, Topic>,
  { subject, location, signal, log, report, observer, clock, tell }: RunOptions<Subject, Topic>,
): Runs {
  const { name, abortOn, retry, failure, whenFailed } = reconciler;
  const running = { reconciler: name, location };
  const askedAt = new Map<string, number>();
  const underWay = new Set<AbortController>();
  const turns = serialised(run, (error) => warn(error, all));

  function warn(error: unknown, key: string): void {
    if (signal.aborted) return;
    const about = { ...(location && { location }), ...(key !== all && { key }) };
    if (report) report(error);
    else log.warn({ err: error, reconciler: name, ...about }, failure);
  }

  async function run(key: string): Promise<void> {
    if (signal.aborted) return;
    const begun = clock.elapsed();
    const lagSeconds = (begun - (askedAt.get(key) ?? begun)) / 1000;
    askedAt.delete(key);
    observer?.began(running, key);
    const told = await outcomeOf(key);
    const seconds = (clock.elapsed() - begun) / 1000;
    observer?.ended({ ...running, key, lagSeconds, seconds, ...told });
  }

  async function outcomeOf(key: string): Promise<Pick<Run, 'outcome' | 'found' | 'error'>> {
    const own = new AbortController();
    if (abortOn) underWay.add(own);
    const errors: unknown[] = [];
    const context: RunContext<Topic> = {
      signal: abortOn ? AbortSignal.any([signal, own.signal]) : signal,
      tell,
      failed: (error) => errors.push(error),
    };
    try {
      const found = await tryAll(key, context);
      if (errors.length === 0) return { outcome: 'succeeded', found, error: undefined };
      if (context.signal.aborted) return aborted;
      return { outcome: 'failed', found, error: errors[0] };
    } catch (error) {
      if (context.signal.aborted) return aborted;
      warn(error, key);
      if (whenFailed) tell(whenFailed);
      return { outcome: 'failed', found: undefined, error };
    } finally {
      underWay.delete(own);
    }
  }

  async function tryAll(key: string, context: RunContext<Topic>) {
    for (let tries = 0; ; tries += 1) {
      try {
        return await reconciler.run(subject, key, context);
      } catch (error) {
        if (context.signal.aborted || !retry || tries >= retry.times) throw error;
        warn(error, key);
        await pauseOn(clock, retry.pauseMilliseconds, context.signal);
        if (context.signal.aborted) throw error;
      }
    }
  }

  return {
    ask(key) {
      if (!askedAt.has(key)) askedAt.set(key, clock.elapsed());
      turns.run(key);
    },
    abort() {
      for (const own of underWay) own.abort();
    },
    idle: turns.idle,
  };
}

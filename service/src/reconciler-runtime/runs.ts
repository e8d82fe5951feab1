import type { Logger } from 'pino';
import { isDatabaseUnavailable } from '../db/errors.ts';
import { createOutage } from '../lib/outage.ts';
import { pause } from '../lib/pause.ts';
import { serialised } from '../lib/serialised.ts';
import { all, type Reconciler, type RunContext, type Trigger } from './define.ts';
import type { Registered, Run, RunObserver } from './observer.ts';
import type { Clock } from './timing.ts';

export interface RunOptions<Subject, Topic extends string> {
  registered: Registered;
  subject: Subject;
  /** Aborts the runs in progress. */
  signal: AbortSignal;
  /** Aborted when no further run may begin. */
  stopping: AbortSignal;
  log: Logger;
  observer: RunObserver | undefined;
  clock: Clock;
  trigger: Trigger<Topic>;
}

/** The runs of one reconciler: one at a time for each key. */
export interface Runs {
  /** Runs for this key now, or once more after the run in progress. */
  enqueue(key: string): void;
  /** Aborts the runs in progress. */
  abort(): void;
  /** Resolves when no run is in progress. */
  idle(): Promise<void>;
}

type Result = Pick<Run, 'outcome' | 'found' | 'error'>;

const aborted: Result = { outcome: 'aborted', found: undefined, error: undefined };

export function runsOf<Subject, Topic extends string>(
  reconciler: Reconciler<Subject, Topic>,
  options: RunOptions<Subject, Topic>,
): Runs {
  const { registered, subject, signal, stopping, observer, clock, trigger } = options;
  const { abortOn, atOnce, retry, backOffMilliseconds, failure, onFailure } = reconciler;
  const { location, reconciler: name } = registered;
  const log = options.log.child({ reconciler: name, ...(location && { location }) });
  const works = 'The reconciler works again.';
  const outage = createOutage(log, { failed: failure, works }, clock.elapsed);
  const queuedAt = new Map<string, number>();
  const underWay = new Set<AbortController>();
  const queue = serialised(run, outage.failed, atOnce);

  /**
   * Logs an error. For a reconciler with several keys each error is logged, unless PostgreSQL is
   * unavailable, which affects all of them.
   */
  function warn(error: unknown, key: string): void {
    if (key === all || isDatabaseUnavailable(error)) outage.failed(error);
    else log.warn({ err: error, key }, failure);
  }

  async function run(key: string): Promise<void> {
    if (stopping.aborted) return;
    const begun = clock.elapsed();
    const lagSeconds = (begun - (queuedAt.get(key) ?? begun)) / 1000;
    queuedAt.delete(key);
    observer?.began(registered, key);
    const result = await resultOf(key);
    const seconds = (clock.elapsed() - begun) / 1000;
    observer?.ended(registered, { key, lagSeconds, seconds, ...result });
    if (result.outcome === 'succeeded') outage.worked();
    if (result.outcome === 'failed' && backOffMilliseconds !== undefined)
      await pause(backOffMilliseconds, stopping, clock.after);
  }

  async function resultOf(key: string): Promise<Result> {
    const own = new AbortController();
    underWay.add(own);
    const errors: unknown[] = [];
    const context: RunContext<Topic> = {
      signal: abortOn ? AbortSignal.any([signal, own.signal]) : signal,
      trigger,
      recordFailure: (error) => errors.push(error),
    };
    try {
      const found = await tryRun(key, context);
      if (errors.length === 0) return { outcome: 'succeeded', found, error: undefined };
      if (context.signal.aborted) return aborted;
      return { outcome: 'failed', found, error: errors[0] };
    } catch (error) {
      if (context.signal.aborted) return aborted;
      warn(error, key);
      if (onFailure) trigger(onFailure);
      return { outcome: 'failed', found: undefined, error };
    } finally {
      underWay.delete(own);
    }
  }

  async function tryRun(key: string, context: RunContext<Topic>) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await reconciler.run(subject, key, context);
      } catch (error) {
        if (context.signal.aborted || !retry || attempt >= retry.times) throw error;
        warn(error, key);
        await pause(retry.pauseMilliseconds, context.signal, clock.after);
        if (context.signal.aborted) throw error;
      }
    }
  }

  return {
    enqueue(key) {
      if (!queuedAt.has(key)) queuedAt.set(key, clock.elapsed());
      queue.run(key);
    },
    abort() {
      for (const own of underWay) own.abort();
    },
    idle: queue.idle,
  };
}

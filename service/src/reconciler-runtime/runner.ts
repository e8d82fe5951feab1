import { all, type Reconciler, type Trigger } from './define.ts';
import { type RunOptions, type Runs, runsOf } from './runs.ts';
import { type Clock, startTimer, systemClock } from './timing.ts';

export interface RunnerOptions<Subject, Topic extends string>
  extends Pick<RunOptions<Subject, Topic>, 'subject' | 'signal' | 'log'> {
  reconcilers: readonly Reconciler<Subject, Topic>[];
  /**
   * The name of their location. It is empty, which is the default, if they are about the installation or this service.
   */
  location?: string;
  observer?: RunOptions<Subject, Topic>['observer'];
  clock?: Clock;
}

export interface ReconcilerRunner<Topic extends string> {
  trigger: Trigger<Topic>;
  /** Begins no further runs. Resolves when those in progress have ended, which only the signal aborts. */
  stop(): Promise<void>;
}

/** Runs reconcilers of one subject, on schedule and when triggered. The first runs begin after this has returned. */
export function startReconcilers<Subject, Topic extends string>(
  options: RunnerOptions<Subject, Topic>,
): ReconcilerRunner<Topic> {
  const { reconcilers, subject, location = '', signal, log, observer } = options;
  const { clock = systemClock } = options;
  const stopping = new AbortController();
  const runs: [Reconciler<Subject, Topic>, Runs][] = [];
  const cleanups: (() => void)[] = [];

  const trigger: Trigger<Topic> = (topic, key = all) => {
    if (stopping.signal.aborted) return;
    for (const [{ on, abortOn }, of] of runs) {
      if (abortOn?.includes(topic)) of.abort();
      if (on?.includes(topic)) of.enqueue(key);
    }
  };
  const shared = { subject, signal, stopping: stopping.signal, log, observer, clock, trigger };

  for (const reconciler of reconcilers) {
    const { name, every } = reconciler;
    const schedule = typeof every === 'function' ? every(subject) : every;
    const registered = { reconciler: name, location };
    const of = runsOf(reconciler, { ...shared, registered });
    runs.push([reconciler, of]);
    observer?.added(registered, schedule ? schedule.milliseconds / 1000 : null);
    cleanups.push(() => observer?.removed(registered));
    if (!schedule) continue;
    const stopTimer = startTimer(schedule, clock, async () => {
      of.enqueue(all);
      await of.idle();
    });
    stopping.signal.addEventListener('abort', stopTimer, { once: true });
  }

  const beginNoMore = () => stopping.abort();
  if (signal.aborted) beginNoMore();
  else signal.addEventListener('abort', beginNoMore, { once: true });

  return {
    trigger,
    async stop() {
      signal.removeEventListener('abort', beginNoMore);
      beginNoMore();
      await Promise.all(runs.map(([, of]) => of.idle()));
      for (const cleanUp of cleanups) cleanUp();
    },
  };
}

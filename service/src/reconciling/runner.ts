import { type Clock, keepTime, systemClock } from './clock.ts';
import { all, type Reconciler, type Tell } from './define.ts';
import { type RunOptions, type Runs, runsOf } from './run.ts';

export interface RunnerOptions<Subject, Topic extends string>
  extends Pick<RunOptions<Subject, Topic>, 'subject' | 'log' | 'report'> {
  reconcilers: readonly Reconciler<Subject, Topic>[];
  /** The name of the location that they are about; empty, the default: the installation, or this service. */
  location?: string;
  /** Ends the runs under way; from then on none begins. */
  signal: AbortSignal;
  observer?: RunOptions<Subject, Topic>['observer'];
  clock?: Clock;
}

export interface ReconcilerRunner<Topic extends string> {
  tell: Tell<Topic>;
  /** Begins no run any more. Resolves once those under way have ended, which only the signal aborts. */
  end(): Promise<void>;
}

/** Runs reconcilers of one subject on time and when they are told to. The first runs begin after this has returned. */
export function startReconcilers<Subject, Topic extends string>(
  options: RunnerOptions<Subject, Topic>,
): ReconcilerRunner<Topic> {
  const { reconcilers, subject, location = '', signal, log, report, observer } = options;
  const { clock = systemClock } = options;
  const shared = { subject, location, signal, log, report, observer, clock };
  const runs = new Map<Reconciler<Subject, Topic>, Runs>();
  let isEnding = false;

  const tell: Tell<Topic> = (topic, key = all) => {
    if (isEnding || signal.aborted) return;
    for (const [{ on, abortOn }, of] of runs) {
      if (abortOn?.includes(topic)) of.abort();
      if (on?.includes(topic)) of.ask(key);
    }
  };

  const timers: (() => void)[] = [];
  for (const reconciler of reconcilers) {
    const { name, every } = reconciler;
    const schedule = typeof every === 'function' ? every(subject) : every;
    const of = runsOf(reconciler, { ...shared, tell });
    runs.set(reconciler, of);
    const seconds = schedule ? schedule.milliseconds / 1000 : null;
    observer?.added({ reconciler: name, location }, seconds);
    if (!schedule) continue;
    const run = async () => {
      of.ask(all);
      await of.idle();
    };
    timers.push(keepTime(schedule, clock, run));
  }

  function stopTimers(): void {
    for (const stop of timers) stop();
  }
  signal.addEventListener('abort', stopTimers, { once: true });

  return {
    tell,
    async end() {
      isEnding = true;
      stopTimers();
      signal.removeEventListener('abort', stopTimers);
      await Promise.all([...runs.values()].map((of) => of.idle()));
      for (const { name } of reconcilers) observer?.removed({ reconciler: name, location });
    },
  };
}

/** The result of a run: named numbers, such as `{ unconfined: 2 }`. */
export type Found = Record<string, number>;

/** When a reconciler runs without a trigger. */
export interface Schedule {
  milliseconds: number;
  /** The first run: at once, after that time (the default), or at a random moment within it. */
  first?: 'now' | 'later' | 'random';
  /**
   * What the time is counted from. `tick`, the default: as an interval; a tick during a run makes one more run follow. `end`: the
   * end of the previous run. `clock`: runs begin at full multiples of the time by the wall clock, never during a run.
   */
  from?: 'tick' | 'end' | 'clock';
}

export type Trigger<Topic extends string> = (topic: Topic, key?: string) => void;

export interface RunContext<Topic extends string> {
  /** Aborted when the runner stops, or by a topic of `abortOn`. */
  signal: AbortSignal;
  /** Runs the reconcilers that have this topic, for this key. */
  trigger: Trigger<Topic>;
  /** Marks the run as failed without ending it, for an error that has been logged. */
  recordFailure(error: unknown): void;
}

/** Compares the desired with the observed state of something, and corrects it, repeatedly. */
export interface Reconciler<Subject, Topic extends string = never> {
  /** The name in metrics and `npm run inspect`, in lower case with hyphens. */
  readonly name: string;
  readonly every?: Schedule | ((subject: Subject) => Schedule);
  /** Topics that trigger a run. During a run for the same key, they make one more run follow. */
  readonly on?: readonly Topic[];
  /** Topics after which the data of a run is outdated. The run is aborted, which does not count as a failure. */
  readonly abortOn?: readonly Topic[];
  /** The maximum number of keys for which it runs at the same time. The default is no limit. */
  readonly atOnce?: number;
  /** How often a failed run is retried, and the pause before each attempt. */
  readonly retry?: { readonly times: number; readonly pauseMilliseconds: number };
  /**
   * After a failed run, with its retries, the next one for the same key begins at the earliest
   * after this time.
   */
  readonly backOffMilliseconds?: number;
  /** The message of the log for a run, or an attempt, that threw. */
  readonly failure: string;
  /** The topic that is triggered, for the key `all`, when a run has thrown and is not retried. */
  readonly onFailure?: Topic;
  run(subject: Subject, key: string, context: RunContext<Topic>): Promise<Found | undefined>;
}

/** The key of runs that are not about one of several objects. */
export const all = 'all';

/** Returns its argument, and only checks the type: reconcilers are data. */
export function defineReconciler<Subject, Topic extends string = never>(
  reconciler: Reconciler<Subject, Topic>,
): Reconciler<Subject, Topic> {
  return reconciler;
}

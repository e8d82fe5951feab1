/** What a run found: numbers by their names, such as `{ unconfined: 2 }`. */
export type Found = Record<string, number>;

/** When a reconciler runs without being told to. */
export interface Schedule {
  milliseconds: number;
  /** The first run: at once, after that time (the default), or at a random moment within it. */
  first?: 'now' | 'later' | 'random';
  /**
   * What the time is counted from. `tick`, the default: as an interval; a tick amid a run makes one more run follow. `end`: the
   * end of the run before. `clock`: runs begin at full multiples of the time by the wall clock, never amid a run.
   */
  from?: 'tick' | 'end' | 'clock';
}

export type Tell<Topic extends string> = (topic: Topic, key?: string) => void;

export interface RunContext<Topic extends string> {
  /** Aborted when the runner ends, or by a topic of `abortOn`. */
  signal: AbortSignal;
  /** Runs the reconcilers that have this topic, for this key. */
  tell: Tell<Topic>;
  /** Has the run count as failed; for an error that was logged already, and that kept it from nothing else. */
  failed(error: unknown): void;
}

/** Something that makes what is so the same as what is to be so, again and again. */
export interface Reconciler<Subject, Topic extends string = never> {
  /** In lower case with hyphens: what metrics and `npm run inspect` call it. */
  readonly name: string;
  readonly every?: Schedule | ((subject: Subject) => Schedule);
  /** Topics that make it run. Told amid a run for the same key, they make one more run follow. */
  readonly on?: readonly Topic[];
  /** Topics after which a run under way is of no use: it is aborted, which is no failure. */
  readonly abortOn?: readonly Topic[];
  /** How often a run that throws is tried again, and how long before each try. */
  readonly retry?: { readonly times: number; readonly pauseMilliseconds: number };
  /** The words of the log for a run, or a try, that threw. */
  readonly failure: string;
  /** Told, for no key, once a run has thrown for good. */
  readonly whenFailed?: Topic;
  run(subject: Subject, key: string, context: RunContext<Topic>): Promise<Found | undefined>;
}

/** The key of what is not about one thing among several. */
export const all = 'all';

/** Checks the shape, and changes nothing: reconcilers are data. */
export function defineReconciler<Subject, Topic extends string = never>(
  reconciler: Reconciler<Subject, Topic>,
): Reconciler<Subject, Topic> {
  return reconciler;
}

import {
  type Api,
  type CallOptions,
  type Operation,
  orNull,
  type Query,
  readBody,
} from './transport/api.ts';
import { EngineError, errorFromIncus, isEngineError } from './transport/errors.ts';
import { type OperationProgress, parseProgress } from './transport/progress.ts';

/**
 * The outcome of waiting for an operation. `vanished` means that Incus has forgotten the operation, which happens 5 s
 * after its end and on a restart, so that only the instance shows the result.
 */
export type OperationOutcome =
  | { outcome: 'succeeded'; operation: Operation }
  | { outcome: 'vanished' };

export interface WaitOptions {
  /** Called with each change of the progress, about once a second. */
  onProgress?: ((progress: OperationProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** The time after which waiting throws `timeout`. The operation continues. */
  timeoutSeconds: number;
}

/** The maximum duration of a single request for waiting. It is shorter if the progress is requested. */
const sliceSeconds = 10;
const progressSliceSeconds = 1;
/** The time that a response may take in addition to the requested slice. */
const answerSeconds = 10;

export type OperationCalls = ReturnType<typeof operationCalls>;

export function operationCalls(api: Api) {
  const get = (id: string, options?: CallOptions) =>
    api.find<Operation>(['operations', id], {}, options);

  /**
   * Waits until the operation ends, in slices. Throws `EngineError`: the error of the operation, `timeout`, or
   * `unreachable`, after which the operation may continue.
   */
  const wait = async (id: string, options: WaitOptions): Promise<OperationOutcome> => {
    const end = performance.now() + options.timeoutSeconds * 1000;
    let shown = '';
    for (;;) {
      const operation = await waitSlice(id, options, (end - performance.now()) / 1000);
      if (operation === null) return { outcome: 'vanished' };
      if (operation.status_code >= 200) return outcomeOf(operation);
      shown = report(operation, shown, options.onProgress);
      if (performance.now() >= end) throw stillRunning(operation, options.timeoutSeconds);
    }
  };

  const waitSlice = async (id: string, options: WaitOptions, left: number) => {
    const longest = options.onProgress === undefined ? sliceSeconds : progressSliceSeconds;
    // Incus accepts whole seconds only.
    const timeout = Math.min(Math.max(1, Math.floor(left)), longest);
    const request = {
      method: 'GET',
      path: ['operations', id, 'wait'],
      query: { timeout },
    } as const;
    const call = { signal: options.signal, timeoutSeconds: timeout + answerSeconds };
    const answer = await orNull(api.read(request, call, readBody));
    if (answer === null) return null;
    if (answer.type !== 'error') return answer.metadata as Operation;
    // Incus 6.0 returns this error when the slice is over, and newer versions return the operation. An operation can
    // also fail with the same message, so it is read.
    if (answer.error === 'context deadline exceeded') return get(id, { signal: options.signal });
    throw failureOf(answer.error ?? '', answer.error_code);
  };

  const list = async (query: Query, options?: CallOptions) => {
    const wanted = { recursion: 1, ...query };
    type ByStatus = Record<string, Operation[]> | null;
    const byStatus = await api.get<ByStatus>(['operations'], wanted, options);
    return Object.values(byStatus ?? {}).flat();
  };

  return {
    get,
    wait,
    /** Lists the operations of the project on all members. Finished operations are kept for about 5 s. */
    list: (options?: CallOptions) => list({ project: api.project }, options),

    /** Lists the operations of all projects. */
    listOfAllProjects: (options?: CallOptions) => list({ 'all-projects': true }, options),
  };
}

/** Whether an operation has not ended yet. */
export function isUnderWay(operation: Operation): boolean {
  return operation.status_code < 200;
}

/** Finds the names of the instances of an operation. */
export function operationInstances(operation: Operation): string[] {
  const urls = operation.resources?.instances ?? [];
  return urls.flatMap((url) => instanceOfUrl(url) ?? []);
}

/** Finds `srv-1` in `/1.0/instances/srv-1/files?project=x`; undefined for the URL of another kind of object. */
export function instanceOfUrl(url: string): string | undefined {
  const name = /^\/1\.0\/instances\/([^/?]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}

/**
 * Creates the error of a failed operation. The status 404 is ignored, because it may mean that another object was not
 * found, for example a network, and must not look like a missing instance. Then only the message determines the code.
 */
function failureOf(text: string, status?: number): EngineError {
  return errorFromIncus(text, status === 404 ? undefined : status);
}

/** Returns the outcome of an operation that has ended. Throws the `EngineError` of a failed one. */
export function outcomeOf(operation: Operation): OperationOutcome {
  if (operation.status_code === 200) return { outcome: 'succeeded', operation };
  if (operation.status_code === 401) {
    throw new EngineError('failed', `${operation.description}: the operation was cancelled`);
  }
  throw failureOf(operation.err || `${operation.description}: failed without a reason`);
}

function report(
  operation: Operation,
  shown: string,
  onProgress: WaitOptions['onProgress'],
): string {
  const progress = onProgress === undefined ? null : parseProgress(operation.metadata);
  if (progress === null || progress.text === shown) return shown;
  onProgress?.(progress);
  return progress.text;
}

/** Whether Incus answered that an operation was still running at the end of the time to wait for it. */
export function isStillRunning(error: unknown): boolean {
  return isEngineError(error, 'timeout') && /: still running after \d+ s$/.test(error.message);
}

function stillRunning(operation: Operation, seconds: number): EngineError {
  return new EngineError('timeout', `${operation.description}: still running after ${seconds} s`, {
    publicMessage: 'The engine did not finish this in time.',
  });
}

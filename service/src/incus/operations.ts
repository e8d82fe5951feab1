import {
  type Api,
  type CallOptions,
  type Operation,
  orNull,
  type Query,
  readBody,
} from './transport/api.ts';
import { EngineError, errorFromIncus } from './transport/errors.ts';
import { type OperationProgress, parseProgress } from './transport/progress.ts';

/**
 * How the wait for an operation ended. `vanished`: Incus forgets an operation 5 s after its end and
 * when it restarts, so that only the instance shows the result.
 */
export type OperationOutcome =
  | { outcome: 'succeeded'; operation: Operation }
  | { outcome: 'vanished' };

export interface WaitOptions {
  /** Called with each change, about once a second. */
  onProgress?: ((progress: OperationProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** After this the wait throws `timeout`. The operation goes on. */
  timeoutSeconds: number;
}

/** The longest single request of a wait; shorter if the progress is wanted. */
const sliceSeconds = 10;
const progressSliceSeconds = 1;
/** The time that an answer may take in addition to the requested slice. */
const answerSeconds = 10;

export type OperationCalls = ReturnType<typeof operationCalls>;

export function operationCalls(api: Api) {
  const get = (id: string, options?: CallOptions) =>
    api.find<Operation>(['operations', id], {}, options);

  /**
   * Waits until the operation ends, in slices. Throws `EngineError`: what the operation failed of,
   * `timeout`, or that Incus can't be reached (the operation may go on).
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
    // Incus 6.0 answers like this when the slice is over, newer ones with the operation. One can
    // also fail of the same words, so the record decides.
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
    /** All operations of the project, on all members; those that ended stay for some 5 s. */
    list: (options?: CallOptions) => list({ project: api.project }, options),

    /** Includes the operations of other projects. */
    listOfAllProjects: (options?: CallOptions) => list({ 'all-projects': true }, options),
  };
}

/** Whether an operation has not ended yet. */
export function isUnderWay(operation: Operation): boolean {
  return operation.status_code < 200;
}

/** Names of the instances that an operation works on. */
export function operationInstances(operation: Operation): string[] {
  const urls = operation.resources?.instances ?? [];
  return urls.flatMap((url) => instanceOfUrl(url) ?? []);
}

/** `/1.0/instances/srv-1/files?project=x` → `srv-1`; undefined for the URL of anything else. */
export function instanceOfUrl(url: string): string | undefined {
  const name = /^\/1\.0\/instances\/([^/?]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}

/**
 * An operation's failure. With 404 it missed something, a network for instance, which must not read
 * as though the instance were gone; then the words decide alone.
 */
function failureOf(text: string, status?: number): EngineError {
  return errorFromIncus(text, status === 404 ? undefined : status);
}

/** The result of an operation that has ended. Throws the `EngineError` of a failed one. */
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

function stillRunning(operation: Operation, seconds: number): EngineError {
  return new EngineError('timeout', `${operation.description}: still running after ${seconds} s`, {
    publicMessage: 'The engine did not finish this in time.',
  });
}

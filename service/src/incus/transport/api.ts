import type { Readable } from 'node:stream';
import { withDeadline } from './deadline.ts';
import {
  EngineError,
  type EngineErrorCode,
  errorFromConnection,
  errorFromIncus,
} from './errors.ts';
import { parseInParts } from './parts.ts';
import type { Transport, WireRequest, WireResponse } from './transport.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The timeout of the whole call, including the response. */
  timeoutSeconds?: number | undefined;
  /** The member to read from, unless the query has a `target`. */
  member?: string | undefined;
}

export type Query = Record<string, string | number | boolean | undefined>;

export interface ApiRequest extends Pick<WireRequest, 'method' | 'headers'> {
  /** The unescaped parts after `/1.0`: `['instances', name, 'state']`. */
  path: readonly string[];
  query?: Query;
  /** Sent as JSON instead of `body`. */
  json?: unknown;
  /** The body. A stream restarts the timeout of the call with each `touch`. */
  body?: string | Uint8Array | ((touch: () => void) => Readable);
}

/** Reads the result from the response of Incus, within the timeout of the call. */
type Reader<T> = (response: WireResponse) => Promise<T>;

/** A background operation of Incus, with only the fields that Berth uses. Asynchronous calls return it. */
export interface Operation {
  id: string;
  /** The class. `task` is work of Incus, and `websocket` is a session, such as a console. */
  class: 'task' | 'websocket' | 'token' | (string & {});
  description: string;
  status:
    | 'Pending'
    | 'Running'
    | 'Cancelling'
    | 'Success'
    | 'Failure'
    | 'Cancelled'
    | (string & {});
  /** The status: 100–199 in progress, 200 success, 400 failure, 401 cancelled ("Status codes", REST API). */
  status_code: number;
  /** The URLs of the resources by type: `{"instances": ["/1.0/instances/srv-1?project=x"]}`. */
  resources: Record<string, string[]> | null;
  metadata: Record<string, unknown> | null;
  err: string;
  /** The member that runs the operation; `none` without a cluster. */
  location: string;
  created_at: string;
}

/** The calls from which those of all resources are built. All of them throw `EngineError`. */
export interface Api {
  /** The project, which calls that belong to a project send as `?project=`. */
  readonly project: string;
  get<T>(path: readonly string[], query: Query, options?: CallOptions): Promise<T>;
  /** Returns `null` if the response of Incus is 404. */
  find<T>(path: readonly string[], query: Query, options?: CallOptions): Promise<T | null>;
  change(request: ApiRequest, options?: CallOptions): Promise<void>;
  startOperation(request: ApiRequest, options?: CallOptions): Promise<Operation>;
  read<T>(request: ApiRequest, options: CallOptions | undefined, reader: Reader<T>): Promise<T>;
}

/** A response of Incus ("Return values" in the documentation of its REST API). */
interface Answer {
  type: 'sync' | 'async' | 'error';
  error?: string;
  error_code?: number;
  metadata?: unknown;
}

function urlPath(path: readonly string[], query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as [string, string]],
  );
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
  return `/${['1.0', ...path].map(encodeURIComponent).join('/')}${search}`;
}

function wireRequest(request: ApiRequest, signal: AbortSignal, touch: () => void): WireRequest {
  const { method, path, query, json, headers, body } = request;
  const wire: WireRequest = { method, path: urlPath(path, query), signal };
  if (json !== undefined) {
    wire.body = JSON.stringify(json);
    wire.headers = { 'content-type': 'application/json', ...headers };
    return wire;
  }
  if (headers !== undefined) wire.headers = headers;
  if (body !== undefined) wire.body = typeof body === 'function' ? () => body(touch) : body;
  return wire;
}

/**
 * The member to which a read is sent directly. Other requests have none, because only reads can always be repeated
 * elsewhere.
 */
function memberOf({ method, query }: ApiRequest, options?: CallOptions): string | undefined {
  if (method !== 'GET') return undefined;
  return typeof query?.target === 'string' ? query.target : options?.member;
}

/** Returns null if the text is malformed. */
async function parseAnswer(text: string): Promise<Answer | null> {
  try {
    const value = await parseInParts(text);
    return typeof value === 'object' && value !== null && 'type' in value
      ? (value as Answer)
      : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Creates the error of an unexpected response, from its body if possible. */
export async function errorOf(response: WireResponse): Promise<EngineError> {
  const text = await response.body.text();
  const answer = await parseAnswer(text);
  const words = answer?.error || `HTTP ${response.statusCode}: ${text.slice(0, 200) || 'no words'}`;
  return errorFromIncus(words, answer?.error_code || response.statusCode);
}

/**
 * Reads a whole response whose length is controlled by a guest. Throws `invalid` if it is longer than `maxBytes`.
 * @param what the name of the response in the error
 */
export async function readBounded(
  response: WireResponse,
  what: string,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    // Leaving the loop closes the connection, so that the rest is not sent.
    if (size > maxBytes)
      throw new EngineError('invalid', `${what} is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads the body of a JSON response. With HTTP 200, the body may still be an `error`. */
export async function readBody(
  response: WireResponse,
  bound?: { what: string; maxBytes: number },
): Promise<Answer> {
  if (response.statusCode >= 400) throw await errorOf(response);
  const text =
    bound === undefined
      ? await response.body.text()
      : (await readBounded(response, bound.what, bound.maxBytes)).toString();
  const answer = await parseAnswer(text);
  if (answer === null) throw new EngineError('failed', 'Incus answered with malformed JSON');
  return answer;
}

/** Reads the body with its ETag, for `If-Match`. */
export async function readTagged<T>(response: WireResponse): Promise<{ value: T; etag: string }> {
  const { metadata } = await readBody(response);
  return { value: metadata as T, etag: String(response.headers.etag ?? '') };
}

async function readAnswer(response: WireResponse): Promise<Answer> {
  const answer = await readBody(response);
  if (answer.type === 'error') throw errorFromIncus(answer.error ?? '', answer.error_code);
  return answer;
}

function asOperation(answer: Answer): Operation {
  const operation = answer.metadata as Operation | null | undefined;
  if (answer.type !== 'async' || typeof operation?.id !== 'string') {
    throw new EngineError('failed', `Incus answered ${answer.type} where it starts an operation`);
  }
  return operation;
}

function assertDone(answer: Answer): void {
  if (answer.type === 'async') {
    throw new EngineError('failed', 'Incus started an operation where it answers at once');
  }
}

/** A call and its outcome: `ok`, `aborted` by its caller, or the code of its error. */
export interface ObservedCall {
  method: string;
  /** The path without names, such as `/1.0/instances/{name}/state`, so that the number of paths is limited. */
  path: string;
  outcome: EngineErrorCode | 'ok' | 'aborted';
  /** The error that the call threw; undefined if it succeeded, or if its caller has aborted it. */
  error: unknown;
  seconds: number;
}

export type CallObserver = (call: ObservedCall) => void;

/** The fixed parts of the paths of Incus that Berth uses. All other parts are names. */
const pathWords = new Set([
  ...['instances', 'state', 'files', 'operations', 'wait', 'images', 'aliases', 'projects'],
  ...['networks', 'storage-pools', 'volumes', 'resources', 'cluster', 'members', 'metrics'],
  ...['certificates', 'network-acls', 'exec', 'console'],
]);

function pathPattern(path: readonly string[]): string {
  const parts = path.map((part) => (pathWords.has(part) ? part : '{name}'));
  return `/${['1.0', ...parts].join('/')}`;
}

interface ApiDefaults {
  project: string;
  timeoutSeconds: number;
  observe?: CallObserver | undefined;
}

/** Creates the basic calls for one transport, timeout and project. */
export function createApi(transport: Transport, defaults: ApiDefaults): Api {
  const read: Api['read'] = async (request, options, reader) => {
    const begun = performance.now();
    let outcome: ObservedCall['outcome'] = 'ok';
    let thrown: unknown;
    try {
      return await call(request, options, reader);
    } catch (error) {
      if (!options?.signal?.aborted) thrown = error;
      if (error instanceof EngineError) outcome = error.code;
      else outcome = options?.signal?.aborted ? 'aborted' : 'failed';
      throw error;
    } finally {
      const { method, path } = request;
      const seconds = (performance.now() - begun) / 1000;
      defaults.observe?.({ method, path: pathPattern(path), outcome, error: thrown, seconds });
    }
  };
  const call: Api['read'] = (request, options, reader) => {
    const what = `${request.method} ${urlPath(request.path)}`;
    const timeoutSeconds = options?.timeoutSeconds ?? defaults.timeoutSeconds;
    return withDeadline(
      { what, timeoutSeconds, signal: options?.signal },
      async (signal, touch) => {
        const wire = wireRequest(request, signal, touch);
        const response = await transport.send({ ...wire, member: memberOf(request, options) });
        try {
          return await reader(response);
        } catch (error) {
          // The connection may also break while a response is read.
          throw errorFromConnection(error, what);
        }
      },
    );
  };
  const answer = (request: ApiRequest, options?: CallOptions) => read(request, options, readAnswer);
  const get = async <T>(path: readonly string[], query: Query, options?: CallOptions) =>
    (await answer({ method: 'GET', path, query }, options)).metadata as T;

  return {
    project: defaults.project,
    read,
    get,
    find: (path, query, options) => orNull(get(path, query, options)),
    change: async (request, options) => assertDone(await answer(request, options)),
    startOperation: async (request, options) => asOperation(await answer(request, options)),
  };
}

/** Converts the error `not_found` to `null`. */
export async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof EngineError && error.code === 'not_found') return null;
    throw error;
  }
}

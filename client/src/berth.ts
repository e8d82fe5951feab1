import createClient, {
  type Client,
  defaultPathSerializer,
  type FetchOptions,
  type FetchResponse,
  type MiddlewareCallbackParams,
} from 'openapi-fetch';
import { keyless } from './generated/keyless.ts';
import type { paths } from './generated/schema.ts';
import { errorOf, problemError, unexpectedResponse } from './problems.ts';
import { connectionFailed, retrying } from './retries.ts';
import { eitherSignal } from './signals.ts';

export interface BerthOptions {
  /** Where the service is, such as `https://berth.example`. */
  url: string;
  /** A token of the API. Without one, a browser sends the cookie of a session. */
  token?: string | undefined;
  /** The ID or the name of the project that all requests are about, for those who have several. */
  project?: string | number | undefined;
  /** How often a failed request is sent again, if that is safe. The default is 4. */
  retries?: number | undefined;
  /** The name of the program, for the logs of proxies. Browsers ignore it. */
  userAgent?: string | undefined;
  /** Ends all requests of the client when it is aborted. */
  signal?: AbortSignal | undefined;
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined;
}

export type Fetch = (request: Request) => Promise<Response>;

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';

/** The paths of the contract that have the method. */
export type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, object> ? Path : never;
}[keyof paths];

type ParseAs = 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream';

/** Parameters, body, and options of `fetch`, such as `signal`. */
export type Init<Operation, As extends ParseAs = ParseAs> = FetchOptions<Operation> & {
  parseAs?: As;
};

export interface Answer<Data> {
  data: Data;
  response: Response;
}

type DataOf<Operation extends object, As extends ParseAs> = NonNullable<
  FetchResponse<Operation, { parseAs: As }, `${string}/${string}`>['data']
>;

type Call<M extends Method> = <Path extends PathsWith<M>, As extends ParseAs = 'json'>(
  path: Path,
  // It may be omitted if nothing in it is required.
  ...init: Record<never, never> extends Init<paths[Path][M]>
    ? [init?: Init<paths[Path][M], As>]
    : [init: Init<paths[Path][M], As>]
) => Promise<Answer<DataOf<paths[Path][M] & object, As>>>;

/** A client of a service. Each method throws a `BerthError` if the request fails. */
export interface Berth {
  GET: Call<'get'>;
  POST: Call<'post'>;
  PUT: Call<'put'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
  /** Adds middleware of openapi-fetch, which sees each request and response. */
  use: Client<paths>['use'];
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Creates a client. It sends no request. Throws a `TypeError` for an option that no request can have. */
export function createBerth(options: BerthOptions): Berth {
  const client = createClient<paths>({
    baseUrl: baseUrlOf(options),
    headers: headersOf(options),
    // Several values of a parameter are separated by commas.
    querySerializer: { array: { style: 'form', explode: false } },
    pathSerializer: checkedPath,
    // Another host must not receive the body, and after 301 or 302, a POST would become a GET.
    redirect: 'manual',
  });
  client.use({ onRequest: addIdempotencyKey });
  // openapi-fetch has types for each path, and the same code for all of them.
  const request = throwing(client.request as unknown as Send, options);
  const calls = methods.map((method) => [method, request.bind(undefined, method)]);
  return { ...Object.fromEntries(calls), use: client.use };
}

/** Sends requests again where that is safe, and throws their errors. */
function throwing(request: Send, options: BerthOptions) {
  const { retries = 4, fetch = (request: Request) => globalThis.fetch(request) } = options;
  return async (method: string, path: string, init: SendInit = {}) => {
    const signal = eitherSignal(init.signal, options.signal);
    const send = retrying(init.fetch ?? fetch, retries);
    let response: Response | undefined;
    const received = async (request: Request) => {
      response = await send(request);
      return response;
    };
    try {
      const answer = await request(method, path, { ...init, signal, fetch: received });
      if (answer.response.ok) return answer;
      throw problemError(answer.error, answer.response);
    } catch (error) {
      throw response ? unreadable(error, response) : error;
    }
  };
}

type SendInit = RequestInit & { fetch?: Fetch };
type Sent = { data?: unknown; error?: unknown; response: Response };
type Send = (method: string, path: string, init: SendInit) => Promise<Sent>;

function baseUrlOf({ url }: BerthOptions): string {
  const invalid =
    'The option `url` must be a URL with http or https, such as https://berth.example.';
  // `localhost:8080` is a URL, too.
  if (!/^https?:/i.test(url)) throw new TypeError(invalid);
  try {
    return new URL(url).href;
  } catch (cause) {
    throw new TypeError(invalid, { cause });
  }
}

function headersOf({ token, project, userAgent }: BerthOptions): Headers {
  const headers = new Headers();
  const set = (option: string, name: string, value: string) => {
    try {
      headers.set(name, value);
    } catch {
      // The error of `Headers` has the value, which may be a token.
      throw new TypeError(
        `The option \`${option}\` has a character that a header can't have, such as a line break.`,
      );
    }
  };
  if (token !== undefined) set('token', 'Authorization', `Bearer ${token}`);
  if (project !== undefined) set('project', 'Berth-Project', String(project));
  if (userAgent !== undefined) set('userAgent', 'User-Agent', userAgent);
  return headers;
}

/** Throws for values with which the request would be about something else: `..` removes the segment before it. */
function checkedPath(path: string, params: Record<string, unknown>): string {
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g)) {
    const value = String(params[name] ?? '');
    if (!['', '.', '..'].includes(value)) continue;
    const detail = `The parameter ${name} of ${path} is "${value}". It must be an ID or a name.`;
    throw errorOf('validation_failed', detail, {});
  }
  return defaultPathSerializer(path, params);
}

/** With a key, a change that is sent again is not made again. */
function addIdempotencyKey({ request, schemaPath }: MiddlewareCallbackParams): void {
  const { method, headers } = request;
  const takesKey = method !== 'GET' && !keyless.has(`${method} ${schemaPath}`);
  if (takesKey && !headers.has('Idempotency-Key')) headers.set('Idempotency-Key', randomKey());
}

/** `crypto.randomUUID` is missing in pages that were loaded over HTTP. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The error for a response that could not be read to its end; other errors are returned as they are. */
function unreadable(error: unknown, response: Response): unknown {
  if (error instanceof SyntaxError) return unexpectedResponse(response, error);
  return error instanceof TypeError ? connectionFailed(error) : error;
}

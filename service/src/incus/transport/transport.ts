import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { type Endpoint, endpoints, type IncusConnection, tlsSettings } from './connection.ts';
import { errorFromConnection, failedBeforeSending, isEngineError } from './errors.ts';

/** A dead member must leave time to ask the next one within the time-out of a call. */
const connectTimeoutMs = 3000;
/** Without another member to ask, the connect timeout is as long as that of a plain call. */
const onlyConnectTimeoutMs = 10_000;
/** A member that has not answered for so long is asked after the others. */
const patienceMs = 3000;
/** After this time it may have recovered. */
const hungMs = 30_000;

export interface WireRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with its query: `/1.0/instances?project=x`. */
  path: string;
  headers?: Record<string, string>;
  /** A stream is created again for each member that is tried. */
  body?: string | Uint8Array | (() => Readable);
  /** The member to read from: it is tried first, if its address is known. */
  member?: string | undefined;
  signal: AbortSignal;
}

export type WireResponse = Dispatcher.ResponseData;

export interface Transport {
  /** Any HTTP answer is returned; throws `EngineError` when no member could be reached. */
  send(request: WireRequest): Promise<WireResponse>;
  /** Learns the addresses of members from their cluster. */
  learn(members: readonly { server_name: string; url: string }[]): void;
  close(): Promise<void>;
}

function createAgent(connection: IncusConnection): Agent {
  const isOnly = 'socketPath' in connection || connection.urls.length === 1;
  const timeout = isOnly ? onlyConnectTimeoutMs : connectTimeoutMs;
  const connect =
    'socketPath' in connection
      ? { socketPath: connection.socketPath, timeout }
      : { ...tlsSettings(connection), timeout };
  // Each call has its own deadline; undici's would end long waits and uploads. Each member is used
  // at least every 20 s, and Incus closes no idle connections, so these are kept open.
  const keepAliveTimeout = 20_000;
  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout });
}

function dispatch(agent: Agent, endpoint: Endpoint, request: WireRequest): Promise<WireResponse> {
  const { body, headers, member: _, ...rest } = request;
  const { signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<WireResponse>();
  // undici hears of it only once it is connected.
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const options = { ...rest, origin: endpoint.origin, headers: headers ?? {} };
  agent
    .request({ ...options, body: typeof body === 'function' ? body() : (body ?? null) })
    .then(resolve, reject)
    .finally(() => signal.removeEventListener('abort', onAbort));
  return promise;
}

const isRead = ({ method }: WireRequest) => method === 'GET' || method === 'HEAD';

/** A change is repeated elsewhere only if it can't have been carried out; a read always may be. */
function mayAskAnother(request: WireRequest, error: unknown): boolean {
  return isRead(request) || failedBeforeSending(error);
}

/**
 * HTTP to Incus, with fail-over between members: each is tried once, the one that answered last
 * first, and one that hangs last. A member that starts or stops (503) is passed over for reads. What is about one member is read
 * from it: the others pass nothing on to one that has come back until its heartbeat, up to 10 s later.
 */
export function createTransport(connection: IncusConnection): Transport {
  const agent = createAgent(connection);
  const places = endpoints(connection);
  /** Since when a member was asked without having answered. */
  const silentSince = new Map<Endpoint, number>();
  const ofMember = new Map<string, Endpoint>();
  let preferred = 0;

  const since = (endpoint: Endpoint) => silentSince.get(endpoint) ?? Number.POSITIVE_INFINITY;
  const hangs = (endpoint: Endpoint) => {
    const silentMs = performance.now() - since(endpoint);
    return silentMs >= patienceMs && silentMs < hungMs;
  };

  /**
   * A member that hangs is not to be asked first next time. One that has answered others meanwhile waits
   * itself, for a member that the request is about; and one that was not waited for may be well.
   */
  const noteSilence = (endpoint: Endpoint, asked: number, reason: unknown) => {
    if (!isEngineError(reason, 'timeout')) silentSince.delete(endpoint);
    else if (since(endpoint) <= asked) {
      silentSince.set(endpoint, performance.now() - patienceMs);
      if (places[preferred % places.length] === endpoint) preferred += 1;
    }
  };

  const attempt = async (request: WireRequest, rest: Endpoint[]): Promise<WireResponse> => {
    const [endpoint, ...others] = rest;
    if (endpoint === undefined) throw new TypeError('Incus needs at least one URL');
    const last = others.length === 0;
    const isItself = request.member !== undefined && ofMember.get(request.member) === endpoint;
    const asked = performance.now();
    if (!silentSince.has(endpoint)) silentSince.set(endpoint, asked);
    try {
      const response = await dispatch(agent, endpoint, request);
      silentSince.delete(endpoint);
      if (response.statusCode !== 503 || !isRead(request) || last) {
        if (!isItself) preferred = places.indexOf(endpoint);
        return response;
      }
      await response.body.dump();
    } catch (error) {
      if (request.signal.aborted) {
        noteSilence(endpoint, asked, request.signal.reason);
        throw error;
      }
      silentSince.delete(endpoint);
      if (last || !mayAskAnother(request, error)) throw errorFromConnection(error, endpoint.name);
    }
    return attempt(request, others);
  };

  return {
    send(request) {
      const start = preferred % places.length;
      const inTurn = [...places.slice(start), ...places.slice(0, start)];
      const itself = request.member === undefined ? undefined : ofMember.get(request.member);
      const others = inTurn.filter((place) => place !== itself);
      const last = others.filter(hangs);
      const first = others.filter((place) => !last.includes(place));
      return attempt(request, [...(itself ? [itself] : []), ...first, ...last]);
    },
    learn(members) {
      for (const { server_name: name, url } of members) {
        const place = places.find(({ origin }) => origin === URL.parse(url)?.origin);
        if (place) ofMember.set(name, place);
        else ofMember.delete(name);
      }
    },
    close: () => agent.destroy(),
  };
}

import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { type Endpoint, endpoints, type IncusConnection, tlsSettings } from './connection.ts';
import { errorFromConnection, failedBeforeSending, isEngineError } from './errors.ts';

/** The connect timeout, which leaves time to try the next member within the timeout of a call if one is dead. */
const connectTimeoutMs = 3000;
/** The connect timeout of the only member, which is as long as the timeout of a plain call. */
const onlyConnectTimeoutMs = 10_000;
/** The time without a response after which a member is tried after the others. */
const patienceMs = 3000;
/** The time after which a member that did not respond may have recovered, and is tried in turn again. */
const hungMs = 30_000;

export interface WireRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with its query: `/1.0/instances?project=x`. */
  path: string;
  headers?: Record<string, string>;
  /** The body. A stream is created again for each tried member. */
  body?: string | Uint8Array | (() => Readable);
  /** The member to read from, which is tried first if its address is known. */
  member?: string | undefined;
  signal: AbortSignal;
}

export type WireResponse = Dispatcher.ResponseData;

export interface Transport {
  /** Returns any HTTP response. Throws `EngineError` if no member is reachable. */
  send(request: WireRequest): Promise<WireResponse>;
  /** Records the addresses of the members, as listed by their cluster. */
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
  // The timeouts of undici are disabled, because they would end long waits and uploads. Each call has its own deadline.
  // Connections are kept open for 20 s, because each member is used at least that often, and Incus closes no idle ones.
  const keepAliveTimeout = 20_000;
  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout });
}

function dispatch(agent: Agent, endpoint: Endpoint, request: WireRequest): Promise<WireResponse> {
  const { body, headers, member: _, ...rest } = request;
  const { signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<WireResponse>();
  // undici reacts to an abort only once it is connected.
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

/** Whether another member can be tried. A change is only repeated if Incus can't have received it. */
function mayAskAnother(request: WireRequest, error: unknown): boolean {
  return isRead(request) || failedBeforeSending(error);
}

/**
 * Creates the HTTP transport to Incus, with failover between members. Each member is tried once. The one that responded
 * last is first, and one that hangs is last. A member that starts or stops (503) is skipped for reads. Reads that
 * concern a member are sent to it directly, because after it has come back the others forward nothing to it until its
 * heartbeat, up to 10 s later.
 */
export function createTransport(connection: IncusConnection): Transport {
  const agent = createAgent(connection);
  const places = endpoints(connection);
  /** The time of the first request to a member to which it has not responded. */
  const silentSince = new Map<Endpoint, number>();
  const ofMember = new Map<string, Endpoint>();
  let preferred = 0;

  const since = (endpoint: Endpoint) => silentSince.get(endpoint) ?? Number.POSITIVE_INFINITY;
  const hangs = (endpoint: Endpoint) => {
    const silentMs = performance.now() - since(endpoint);
    return silentMs >= patienceMs && silentMs < hungMs;
  };

  /**
   * Records that a member did not respond, so that it is not tried first next time. This is not done if it has
   * responded to other requests in the meantime, because then it probably waits for the member that the request
   * concerns, or if the caller aborted the request before the timeout.
   */
  const recordSilence = (endpoint: Endpoint, asked: number, reason: unknown) => {
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
        recordSilence(endpoint, asked, request.signal.reason);
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

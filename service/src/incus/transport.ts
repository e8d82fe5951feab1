import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { type Endpoint, endpoints, type IncusConnection, tlsSettings } from './connection.ts';
import { errorFromConnection, failedBeforeSending, isEngineError } from './errors.ts';

/** A dead member must leave time to ask the next one within the time-out of a call. */
const connectTimeoutMs = 3000;

export interface WireRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query: `/1.0/instances?project=x`. */
  path: string;
  headers?: Record<string, string>;
  /** A stream is made anew for each member that is tried. */
  body?: string | Uint8Array | (() => Readable);
  /** The member that a read is about: it is asked first, where its address is one of those to try. */
  member?: string | undefined;
  signal: AbortSignal;
}

export type WireResponse = Dispatcher.ResponseData;

export interface Transport {
  /** Any HTTP answer is returned; throws `EngineError` when no member could be reached. */
  send(request: WireRequest): Promise<WireResponse>;
  /** Where members are, as their cluster says. */
  learn(members: readonly { server_name: string; url: string }[]): void;
  close(): Promise<void>;
}

function createAgent(connection: IncusConnection): Agent {
  const connect =
    'socketPath' in connection
      ? { socketPath: connection.socketPath, timeout: connectTimeoutMs }
      : { ...tlsSettings(connection), timeout: connectTimeoutMs };
  // Every call brings its own deadline; undici's would end long waits and uploads. Each member is asked
  // more often than each 20 s, and need not be connected to anew: Incus closes nothing for being idle.
  const keepAliveTimeout = 20_000;
  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout });
}

function dispatch(agent: Agent, endpoint: Endpoint, request: WireRequest): Promise<WireResponse> {
  const { body, headers, member: _, ...rest } = request;
  return agent.request({
    ...rest,
    origin: endpoint.origin,
    headers: headers ?? {},
    body: typeof body === 'function' ? body() : (body ?? null),
  });
}

const isRead = ({ method }: WireRequest) => method === 'GET' || method === 'HEAD';

/** A change is repeated elsewhere only if it can't have been carried out; a read always may be. */
function mayAskAnother(request: WireRequest, error: unknown): boolean {
  return isRead(request) || failedBeforeSending(error);
}

/**
 * HTTP to Incus, with fail-over between members: each is tried once, the one that answered last
 * first. A member that starts or stops (503) is passed over for reads. What is about one member is read
 * from it: the others pass nothing on to one that has come back until its heartbeat, up to 10 s later.
 */
export function createTransport(connection: IncusConnection): Transport {
  const agent = createAgent(connection);
  const places = endpoints(connection);
  /** When each one answered last. */
  const answered = new Map<Endpoint, number>();
  const ofMember = new Map<string, Endpoint>();
  let preferred = 0;

  const attempt = async (request: WireRequest, rest: Endpoint[]): Promise<WireResponse> => {
    const [endpoint, ...others] = rest;
    if (endpoint === undefined) throw new TypeError('Incus needs at least one URL');
    const last = others.length === 0;
    const asked = performance.now();
    const isItself = request.member !== undefined && ofMember.get(request.member) === endpoint;
    try {
      const response = await dispatch(agent, endpoint, request);
      answered.set(endpoint, performance.now());
      if (response.statusCode !== 503 || !isRead(request) || last) {
        if (!isItself) preferred = places.indexOf(endpoint);
        return response;
      }
      await response.body.dump();
    } catch (error) {
      if (request.signal.aborted) {
        // A member that hangs must not be the first to be asked next time. One that answered others
        // meanwhile waits itself, for a member that the request is about.
        const isSilent = !isItself && (answered.get(endpoint) ?? 0) < asked;
        if (isSilent && isEngineError(request.signal.reason, 'timeout'))
          preferred = places.indexOf(endpoint) + 1;
        throw error;
      }
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
      return attempt(request, itself ? [itself, ...others] : others);
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

import { Agent } from 'node:https';
import { WebSocket } from 'ws';
import { pause } from '../lib/pause.ts';
import { instanceOfUrl } from './operations.ts';
import type { Operation } from './transport/api.ts';
import {
  type Endpoint,
  endpoints,
  type IncusConnection,
  tlsSettings,
} from './transport/connection.ts';
import { EngineError, errorFromConnection, errorFromIncus } from './transport/errors.ts';

interface EventOrigin {
  /** When Incus sent it, ISO 8601; events may arrive out of order. */
  timestamp: string;
  project: string;
  /** The member that it happened on; `none` without a cluster. */
  location: string;
}

export interface LifecycleEvent extends EventOrigin {
  type: 'lifecycle';
  /** `instance-started`, `instance-shutdown`, … ("Events" in Incus's documentation). */
  action: string;
  /** URL of what it happened to. */
  source: string;
  /** Name of the instance, if it is one. */
  instance: string | undefined;
  context: Record<string, unknown>;
}

export interface OperationEvent extends EventOrigin {
  type: 'operation';
  operation: Operation;
}

export type IncusEvent = LifecycleEvent | OperationEvent;

export interface WatchOptions {
  types: IncusEvent['type'][];
  project: string;
  onEvent: (event: IncusEvent) => void;
  /** Events before it are lost: compare everything now. */
  onConnect: () => void;
  /** With the reason, for each connection that ended and each attempt that failed; not for abort. */
  onDisconnect: (reason: unknown) => void;
  signal: AbortSignal;
  /** A connection without any sign of life for one to two of these is given up. */
  pingSeconds?: number;
}

const handshakeTimeoutMs = 5000;
const shortestPauseMs = 200;
const longestPauseMs = 5000;
/** A connection that held this long was a success, and is tried again at once. */
const lastingMs = 1000;

/**
 * Follows Incus's events until `signal` aborts, then resolves. It reconnects for ever, trying the
 * members in turn; what a handler throws ends the connection and goes to `onDisconnect`, which
 * itself must not throw.
 */
export async function watchEvents(
  connection: IncusConnection,
  options: WatchOptions,
): Promise<void> {
  const places = endpoints(connection);
  for (let attempt = 0, failures = 0; !options.signal.aborted; attempt += 1) {
    const endpoint = places[attempt % places.length];
    if (endpoint === undefined) throw new TypeError('Incus needs at least one URL');
    const { reason, lasted } = await follow(openSocket(connection, endpoint, options), {
      ...options,
      name: endpoint.name,
    });
    if (options.signal.aborted) return;
    options.onDisconnect(reason);
    failures = lasted ? 0 : failures + 1;
    // The other members are asked without delay: pauses grow with each round.
    await pause(backOffMs(Math.floor(failures / places.length)), options.signal);
  }
}

/** Half of it at random, so that many watchers don't come back all at once. */
function backOffMs(failures: number): number {
  const longest = Math.min(longestPauseMs, shortestPauseMs * 2 ** failures);
  return longest / 2 + (Math.random() * longest) / 2;
}

function openSocket(
  connection: IncusConnection,
  endpoint: Endpoint,
  { types, project }: WatchOptions,
): WebSocket {
  const path = `/1.0/events?${new URLSearchParams({ project, type: types.join(',') })}`;
  const settings = { handshakeTimeout: handshakeTimeoutMs, perMessageDeflate: false };
  if ('socketPath' in connection) {
    return new WebSocket(`ws+unix:${connection.socketPath}:${path}`, settings);
  }
  const url = `${endpoint.origin.replace(/^http/, 'ws')}${path}`;
  // By an agent: types/ws has `checkServerIdentity` wrong.
  return new WebSocket(url, { ...settings, agent: new Agent(tlsSettings(connection)) });
}

interface Ending {
  reason: unknown;
  lasted: boolean;
}

/** Resolves when the connection has ended, for whatever reason. */
function follow(socket: WebSocket, options: WatchOptions & { name: string }): Promise<Ending> {
  let reason: unknown;
  let connectedAt = Number.POSITIVE_INFINITY;
  const end = (why: unknown) => {
    reason ??= why;
    socket.terminate();
  };
  const guarded = (handler: () => void) => {
    try {
      handler();
    } catch (error) {
      end(error);
    }
  };
  const stopPinging = keepAlive(socket, options, end);
  const onAbort = () => end(options.signal.reason);
  options.signal.addEventListener('abort', onAbort);

  socket.on('open', () => {
    connectedAt = performance.now();
    guarded(options.onConnect);
  });
  socket.on('message', (data) => guarded(() => options.onEvent(parseEvent(String(data)))));
  socket.on('unexpected-response', (_request, { statusCode = 500 }) => {
    end(errorFromIncus(`The event stream was refused: HTTP ${statusCode}`, statusCode));
  });
  socket.on('error', (error) => {
    reason ??= isLateHandshake(error)
      ? new EngineError('timeout', 'The event stream did not open', { where: options.name })
      : errorFromConnection(error, options.name);
  });
  return new Promise((resolve) => {
    socket.on('close', (code) => {
      stopPinging();
      options.signal.removeEventListener('abort', onAbort);
      reason ??= new EngineError('unreachable', `Incus closed the event stream: ${code}`, {
        where: options.name,
      });
      resolve({ reason, lasted: performance.now() - connectedAt > lastingMs });
    });
  });
}

/** The library has no code for it. */
const isLateHandshake = (error: Error) => /handshake has timed out/.test(error.message);

/** A member that loses its power closes nothing: without pings its silence looks like peace. */
function keepAlive(
  socket: WebSocket,
  options: WatchOptions & { name: string },
  end: (why: unknown) => void,
): () => void {
  const { pingSeconds: seconds = 10, name: where } = options;
  let alive = true;
  const seen = () => {
    alive = true;
  };
  for (const sign of ['message', 'ping', 'pong'] as const) socket.on(sign, seen);
  const timer = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return;
    if (!alive) end(new EngineError('timeout', 'The event stream went silent', { where }));
    else socket.ping();
    alive = false;
  }, seconds * 1000);
  return () => clearInterval(timer);
}

interface RawEvent extends EventOrigin {
  type: string;
  metadata: unknown;
}

/** Throws `failed` for what is no event of the types that were asked for. */
function parseEvent(text: string): IncusEvent {
  const { type, timestamp, project, location, metadata } = parseJson(text);
  const origin = { timestamp, project, location: location ?? 'none' };
  if (type === 'operation') return { type, ...origin, operation: metadata as Operation };
  if (type !== 'lifecycle') throw new EngineError('failed', `Unexpected event type: ${type}`);
  const { action, source, context } = metadata as Omit<LifecycleEvent, 'context'> & {
    context?: Record<string, unknown> | null;
  };
  return {
    type,
    ...origin,
    action,
    source,
    instance: instanceOfUrl(source),
    context: context ?? {},
  };
}

function parseJson(text: string): RawEvent {
  try {
    return JSON.parse(text) as RawEvent;
  } catch (cause) {
    throw new EngineError('failed', 'Incus sent a malformed event', { cause });
  }
}

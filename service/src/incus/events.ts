import { WebSocket } from 'ws';
import { pause } from '../lib/pause.ts';
import { instanceOfUrl } from './operations.ts';
import type { Operation } from './transport/api.ts';
import { endpoints, type IncusConnection } from './transport/connection.ts';
import { EngineError } from './transport/errors.ts';
import { errorOfSocket, openSocket, refusedSocket } from './transport/websocket.ts';

interface EventOrigin {
  /** The time at which Incus sent the event, in ISO 8601. Events may arrive out of order. */
  timestamp: string;
  project: string;
  /** The member of the cluster; `none` without a cluster. */
  location: string;
}

export interface LifecycleEvent extends EventOrigin {
  type: 'lifecycle';
  /** The action, such as `instance-started` or `instance-shutdown` ("Events" in the documentation of Incus). */
  action: string;
  /** The URL of the subject. */
  source: string;
  /** The name of the instance, if the event concerns one. */
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
  /** Called when the connection is open. Earlier events were missed, so everything should be synced then. */
  onConnect: () => void;
  /** Receives the error of each connection that ended and of each failed attempt, except for aborts. */
  onDisconnect: (reason: unknown) => void;
  signal: AbortSignal;
  /** The interval of pings. A connection without messages or pongs is closed after one to two intervals. */
  pingSeconds?: number;
}

const handshakeTimeoutMs = 5000;
const what = 'The event stream';
const shortestPauseMs = 200;
const longestPauseMs = 5000;
/**
 * The time after which a connection counts as a success, so that it is reopened with the shortest delay when it ends.
 */
const stableMs = 1000;

/**
 * Watches the events of Incus until `signal` aborts, then resolves. It always reconnects, and uses the members in turn.
 * An error of a handler ends the connection and is passed to `onDisconnect`, which must not throw.
 */
export async function watchEvents(
  connection: IncusConnection,
  options: WatchOptions,
): Promise<void> {
  const places = endpoints(connection);
  for (let attempt = 0, failures = 0; !options.signal.aborted; attempt += 1) {
    const endpoint = places[attempt % places.length];
    if (endpoint === undefined) throw new TypeError('Incus needs at least one URL');
    const path = eventsPath(options);
    const socket = openSocket(connection, endpoint, path, handshakeTimeoutMs);
    const { reason, lasted } = await follow(socket, {
      ...options,
      name: endpoint.name,
    });
    if (options.signal.aborted) return;
    options.onDisconnect(reason);
    failures = lasted ? 0 : failures + 1;
    // The back-off grows with each round, so that the other members are first tried with the shortest delay.
    await pause(backOffMs(Math.floor(failures / places.length)), options.signal);
  }
}

/** Calculates the back-off. Half of it is random, so that many watchers do not reconnect at the same time. */
function backOffMs(failures: number): number {
  const longest = Math.min(longestPauseMs, shortestPauseMs * 2 ** failures);
  return longest / 2 + (Math.random() * longest) / 2;
}

function eventsPath({ types, project }: WatchOptions): string {
  return `/1.0/events?${new URLSearchParams({ project, type: types.join(',') })}`;
}

interface Ending {
  reason: unknown;
  lasted: boolean;
}

/** Passes on the events of a connection. Resolves when it has ended for any reason. */
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
    end(refusedSocket(what, statusCode));
  });
  socket.on('error', (error) => {
    reason ??= errorOfSocket(error, what, options.name);
  });
  return new Promise((resolve) => {
    socket.on('close', (code) => {
      stopPinging();
      options.signal.removeEventListener('abort', onAbort);
      reason ??= new EngineError('unreachable', `Incus closed the event stream: ${code}`, {
        where: options.name,
      });
      resolve({ reason, lasted: performance.now() - connectedAt > stableMs });
    });
  });
}

/**
 * Sends pings. A member that loses power does not close its connections, so that without pings it would look idle.
 */
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

/** Parses an event. Throws `failed` unless it has a requested type. */
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

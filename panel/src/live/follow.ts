import {
  type Berth,
  type BerthOptions,
  type Event,
  type EventOptions,
  EventsGoneError,
  events,
} from '@berth/client';

export interface Follower {
  onEvent(event: Event): void;
  /** The stream is open. If `mayHaveMissed`, everything has to be read again. */
  onConnected(mayHaveMissed: boolean): void;
  /** The stream was lost, or could not be opened; it is tried again. */
  onLost(error?: unknown): void;
}

const againMs = 2000;

/**
 * Follows the events of a project, or those that the filters select, until `signal` is aborted. After a lost connection, it continues with the event after
 * the last one.
 *
 * @param connect creates a client
 */
export async function follow(
  connect: (options: Partial<BerthOptions>) => Berth,
  follower: Follower,
  signal: AbortSignal,
  filters: EventOptions['filters'] = {},
): Promise<void> {
  let last: number | undefined;
  const fetch = async (request: Request): Promise<Response> => {
    follower.onLost();
    const response = await globalThis.fetch(request);
    if (response.ok) follower.onConnected(last === undefined);
    return response;
  };
  const berth = connect({ fetch, retries: 0 });
  while (!signal.aborted) {
    try {
      for await (const event of events(berth, { after: last, signal, filters })) {
        last = event.id;
        follower.onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof EventsGoneError) last = undefined;
      else follower.onLost(error);
    }
    await pause(againMs, signal);
  }
}

/** Ends early when the browser is online again, or when `signal` is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      globalThis.removeEventListener?.('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    globalThis.addEventListener?.('online', end);
  });
}

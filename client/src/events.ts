import type { Berth } from './berth.ts';
import { BerthError } from './errors.ts';
import type { components, paths } from './generated/schema.ts';
import { isPassing } from './problems.ts';
import { pause } from './signals.ts';

export type Event = components['schemas']['Event'];

/** The fields of a message. */
type Message = Partial<Record<'id' | 'event' | 'data', string>>;

type Filters = NonNullable<paths['/v1/events']['get']['parameters']['query']>;

export interface EventOptions {
  /** Only events of these types, servers, labels or projects. */
  filters?: Omit<Filters, 'after' | 'limit' | 'cursor'> | undefined;
  /** The ID of the event after which it begins. By default it begins with the next one. */
  after?: number | undefined;
  /** Ends the iteration with its reason when it is aborted. */
  signal?: AbortSignal | undefined;
}

const againMs = 1000;
/** The service sends something every 15 seconds. */
const longestSilenceMs = 60_000;

/**
 * Iterates over events as they happen, without an end. When the connection is lost, it connects again and continues
 * after the last event. Throws a `BerthError` if the service refuses, such as `EventsGoneError`.
 */
export async function* events(
  berth: Berth,
  options: EventOptions = {},
): AsyncGenerator<Event, void, undefined> {
  for await (const { data } of follow(berth, options)) if (data) yield JSON.parse(data);
}

/** The same with the messages that have no event: the first one of each connection, and heartbeats. */
export async function* follow(
  berth: Berth,
  { filters, after, signal }: EventOptions = {},
): AsyncGenerator<Message, never, undefined> {
  let last = after;
  let hasBegun = false;
  for (;;) {
    const lost = new AbortController();
    const header = last === undefined ? {} : { 'Last-Event-ID': String(last) };
    const ending = signal ? AbortSignal.any([signal, lost.signal]) : lost.signal;
    const timer = setTimeout(() => lost.abort(), longestSilenceMs);
    try {
      const { data: body } = await berth.GET('/v1/events', {
        params: { query: filters ?? {}, header },
        headers: { Accept: 'text/event-stream' },
        signal: ending,
        parseAs: 'stream',
      });
      clearTimeout(timer);
      hasBegun = true;
      for await (const message of messages(body as ReadableStream, lost, ending)) {
        if (message.id) last = Number(message.id);
        yield message;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof BerthError && !(hasBegun && isPassing(error))) throw error;
    } finally {
      clearTimeout(timer);
      lost.abort();
    }
    await pause(againMs, signal);
  }
}

/** The fields of each message (HTML Living Standard, section 9.2), of which Berth writes each in one line. */
async function* messages(
  body: ReadableStream,
  lost: AbortController,
  ending: AbortSignal,
): AsyncGenerator<Message, void, undefined> {
  const reader = body.getReader();
  // Node.js forgets the signal of a request whose response has begun when it frees memory, and the connection would stay
  // open. A stream that has already failed cannot be cancelled, and need not be.
  const close = () => reader.cancel(ending.reason).catch(() => undefined);
  if (ending.aborted) close();
  else ending.addEventListener('abort', close, { once: true });
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const timer = setTimeout(() => lost.abort(), longestSilenceMs);
    const { value, done } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]);
      yield Object.fromEntries(fields);
    }
  }
}

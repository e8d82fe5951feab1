import type { Berth } from './berth.ts';
import type { components, paths } from './generated/schema.ts';
import { pause } from './signals.ts';

export type Event = components['schemas']['Event'];

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
  { filters, after, signal }: EventOptions = {},
): AsyncGenerator<Event, never, undefined> {
  let last = after;
  for (;;) {
    const lost = new AbortController();
    const header = last === undefined ? {} : { 'Last-Event-ID': String(last) };
    const { data: body } = await berth.GET('/v1/events', {
      params: { query: filters ?? {}, header },
      headers: { Accept: 'text/event-stream' },
      signal: signal ? AbortSignal.any([signal, lost.signal]) : lost.signal,
      parseAs: 'stream',
    });
    try {
      for await (const { id, data } of messages(body as ReadableStream, lost)) {
        // A heartbeat has only an id.
        if (id) last = Number(id);
        if (data) yield JSON.parse(data);
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SyntaxError) throw error;
    } finally {
      lost.abort();
    }
    await pause(againMs, signal);
  }
}

/** The fields of each message (HTML Living Standard, section 9.2), of which Berth writes each in one line. */
async function* messages(body: ReadableStream, lost: AbortController) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const timer = setTimeout(() => lost.abort(), longestSilenceMs);
    const { value, done } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields: Record<string, string> = {};
      for (const [, name = '', field] of block.matchAll(/^(\w+): (.*)$/gm))
        fields[name] = field ?? '';
      yield fields;
    }
  }
}

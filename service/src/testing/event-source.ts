import type { Event } from '@berth/contract/events';
import { until } from './until.ts';

/** What a client of server-sent events has received so far. */
export interface EventSource {
  /** Resolves once the stream has begun; rejects if it was refused. */
  begun: Promise<void>;
  events: Event[];
  /** The last `id`, with which a client resumes. */
  readonly lastId: number | undefined;
  /** The comments, such as heartbeats. */
  comments: string[];
  /** Resolves when the stream has ended, whoever ended it. */
  ended: Promise<void>;
  close(): void;
  /** Waits until so many events have arrived. */
  count(count: number): Promise<Event[]>;
}

/** A client of server-sent events (HTML Living Standard, section 9.2), without reconnecting. */
export function openEvents(url: string, headers: Record<string, string>): EventSource {
  const closing = new AbortController();
  const begun = Promise.withResolvers<void>();
  const events: Event[] = [];
  const comments: string[] = [];
  let lastId: number | undefined;

  function take(block: string): void {
    const lines = block.split('\n');
    const fieldOf = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    comments.push(...lines.filter((line) => line.startsWith(':')));
    const data = fieldOf('data');
    if (data !== undefined) events.push(JSON.parse(data));
    const id = fieldOf('id');
    if (id !== undefined) lastId = Number(id);
  }

  async function read(): Promise<void> {
    const init = { headers: { accept: 'text/event-stream', ...headers }, signal: closing.signal };
    const response = await fetch(url, init);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(block);
      begun.resolve();
    }
  }

  const ended = read().catch((error: unknown) => begun.reject(error));
  begun.promise.catch(() => undefined);
  return {
    begun: begun.promise,
    events,
    comments,
    ended,
    get lastId() {
      return lastId;
    },
    close: () => closing.abort(),
    count: (count) =>
      until(
        `${count} events arrive`,
        () => events,
        ({ length }) => length >= count,
      ),
  };
}

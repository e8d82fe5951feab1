import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Pace, paced } from './paced.ts';
import { createPlaces, type Wording } from './places.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly streams: Streams;
  }
}

export interface Streams {
  /**
   * Begins an answer. Its first part is made before it begins, so that it can still be refused; if
   * that is not all of it, it takes a place, and throws as `Places`.
   */
  begin(
    request: FastifyRequest,
    reply: FastifyReply,
    chunks: AsyncGenerator<string>,
  ): Promise<Readable>;
  /**
   * Begins an answer whose headers depend on all of it. A small one is returned whole, so that they
   * are known. A large one takes a place, or throws as `Places`, and then calls `findHeaders`.
   */
  beginPage(
    request: FastifyRequest,
    reply: FastifyReply,
    chunks: AsyncGenerator<string>,
    findHeaders: () => Promise<void>,
  ): Promise<Readable | Buffer>;
  /** Sends an existing answer; takes a place only if it is large. */
  whole(request: FastifyRequest, reply: FastifyReply, body: Buffer): Promise<Readable | Buffer>;
  /**
   * Sends an answer that is the same for everybody. All share one copy in memory, so it takes no
   * place.
   */
  constant(reply: FastifyReply, body: Buffer): Readable;
  /**
   * Takes a place for an answer without an end, until its connection ends. Throws as `Places`. Such answers have places
   * of their own, since they are idle for most of the time.
   */
  takeEndless(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** Smaller answers are sent without a place, however slowly they are read. */
const largeBytes = 64 * 1024;

const endlessAnswers: Wording = {
  one: 'stream of events is open',
  several: 'streams of events are open',
  to: 'for',
  advice: 'Close others first, or share one stream among several readers.',
  busy: 'The service has the maximum number of streams of events.',
};

export interface StreamSettings extends Pace {
  /** Large answers that are sent at once. */
  most: number;
  /** Answers without an end, such as events. */
  mostEndless: number;
  /** Receives whose limit was reached, for each refused answer. */
  refused: (share: string) => void;
  /** The same of answers without an end. */
  endlessRefused: (share: string) => void;
}

/** Limits the number of large responses, their memory and their duration. */
export function boundStreams(
  app: FastifyInstance,
  { most, mostEndless, refused, endlessRefused, ...pace }: StreamSettings,
): void {
  const places = createPlaces(most, refused);
  const endless = createPlaces(mostEndless, endlessRefused, endlessAnswers);
  const send = (reply: FastifyReply, chunks: AsyncIterable<string | Buffer>) =>
    // Nothing is created before it is needed.
    Readable.from(paced(reply, chunks, pace), { objectMode: false, highWaterMark: 1 });

  /** Reads the beginning of an answer. If that is not all of it, it takes a place. */
  async function beginning(
    request: FastifyRequest,
    reply: FastifyReply,
    chunks: AsyncGenerator<string>,
  ): Promise<{ first: string; isAll: boolean }> {
    const first: string[] = [];
    let isAll = false;
    for (let length = 0; length <= largeBytes && !isAll; length += first.at(-1)?.length ?? 0) {
      const { value, done } = await chunks.next();
      if (done) isAll = true;
      else first.push(value);
    }
    if (!isAll) await places.take(request, reply);
    return { first: first.join(''), isAll };
  }

  const streams: Streams = {
    async begin(request, reply, chunks) {
      const { first } = await beginning(request, reply, chunks);
      return send(reply, both([first], inContext(chunks)));
    },
    async beginPage(request, reply, chunks, findHeaders) {
      const { first, isAll } = await beginning(request, reply, chunks);
      if (isAll) return Buffer.from(first);
      await findHeaders();
      return send(reply, both([first], inContext(chunks)));
    },
    async whole(request, reply, body) {
      if (body.length <= largeBytes) return body;
      await places.take(request, reply);
      return streams.constant(reply, body);
    },
    constant(reply, body) {
      reply.header('Content-Length', body.length);
      return send(reply, both([body], []));
    },
    takeEndless: (request, reply) => endless.take(request, reply),
  };
  app.decorate('streams', streams);
  app.addHook('onSend', async (request, reply, payload) => {
    const isConstant = request.routeOptions.config.countsAs !== undefined;
    if (isConstant || request.method === 'HEAD' || typeof payload !== 'string') return payload;
    // A small text is sent as it is: it can be written together with the headers.
    if (Buffer.byteLength(payload) <= largeBytes) return payload;
    return streams.whole(request, reply, Buffer.from(payload));
  });
}

/** Restores the claim of the request, because the connection that requests more data has none. */
function inContext<T>(chunks: AsyncGenerator<T>): AsyncIterable<T> {
  const run = AsyncLocalStorage.snapshot();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => run(() => chunks.next()),
      return: () => run(() => chunks.return(undefined)),
    }),
  };
}

async function* both<T>(first: Iterable<T>, then: AsyncIterable<T> | Iterable<T>) {
  yield* first;
  yield* then;
}

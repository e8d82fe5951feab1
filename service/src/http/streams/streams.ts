import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Pace, paced } from './paced.ts';
import { createPlaces } from './places.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly streams: Streams;
  }
}

export interface Streams {
  /**
   * An answer as it is to be sent. What there is of it at first is made before it begins, so that a refusal
   * can still be one; where that is not all of it, it takes a place, and throws as `Places`.
   */
  begin(
    request: FastifyRequest,
    reply: FastifyReply,
    chunks: AsyncGenerator<string>,
  ): Promise<Readable>;
  /** One that is there already, as it is where that is small. */
  whole(request: FastifyRequest, reply: FastifyReply, body: Buffer): Readable | Buffer;
}

/** What is smaller is sent whoever reads it, however slowly. */
const largeBytes = 64 * 1024;

export interface StreamSettings extends Pace {
  /** Large answers that are sent at once. */
  most: number;
}

/** Bounds what large answers take: how many there are, what each holds in memory, and for how long. */
export function boundStreams(app: FastifyInstance, { most, ...pace }: StreamSettings): void {
  const places = createPlaces(most);
  const send = (reply: FastifyReply, chunks: AsyncIterable<string | Buffer>) =>
    // Nothing is made before it is wanted.
    Readable.from(paced(reply, chunks, pace), { objectMode: false, highWaterMark: 1 });

  const streams: Streams = {
    async begin(request, reply, chunks) {
      const first: string[] = [];
      let isAll = false;
      for (let length = 0; length <= largeBytes && !isAll; length += first.at(-1)?.length ?? 0) {
        const { value, done } = await chunks.next();
        if (done) isAll = true;
        else first.push(value);
      }
      if (!isAll) places.take(request, reply);
      return send(reply, both([first.join('')], chunks));
    },
    whole(request, reply, body) {
      if (body.length <= largeBytes) return body;
      places.take(request, reply);
      reply.header('Content-Length', body.length);
      return send(reply, both([body], []));
    },
  };
  app.decorate('streams', streams);
  app.addHook('onSend', async (request, reply, payload) => {
    const isConstant = request.routeOptions.config.countsAs !== undefined;
    if (isConstant || request.method === 'HEAD' || typeof payload !== 'string') return payload;
    return streams.whole(request, reply, Buffer.from(payload));
  });
}

async function* both<T>(first: Iterable<T>, then: AsyncIterable<T> | Iterable<T>) {
  yield* first;
  yield* then;
}

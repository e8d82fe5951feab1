import type { FastifyReply } from 'fastify';
import { whenClosed } from './when-closed.ts';

/** How slowly a client may read. */
export interface Pace {
  /** Slower clients fall behind. */
  leastBytesPerSecond: number;
  /** A client that lags further behind is disconnected. */
  behindMs: number;
}

/** No more is handed to the connection at once, so that it is known how much was taken. */
const pieceBytes = 16 * 1024;
/** About what a connection holds that was not sent yet. */
const unsentBytes = 64 * 1024;

/**
 * An answer in pieces, each made once the ones before it were taken. Who takes them slower than asked for is
 * behind by the difference, and catches up by taking more; who falls behind by too much is cut off. Only what
 * the client makes us wait counts: not how long the answer takes to make.
 */
export async function* paced(
  reply: FastifyReply,
  chunks: AsyncIterable<string | Buffer>,
  { leastBytesPerSecond, behindMs }: Pace,
): AsyncGenerator<Buffer> {
  const msFor = (bytes: number) => (bytes / leastBytesPerSecond) * 1000;
  const cutOff = () => {
    reply.log.info('A client that read its response too slowly was disconnected.');
    reply.raw.destroy();
  };
  let behind = 0;
  for await (const piece of pieces(chunks)) {
    const timer = setTimeout(cutOff, behindMs - behind + msFor(piece.length));
    const begin = performance.now();
    try {
      yield piece;
    } finally {
      clearTimeout(timer);
    }
    behind = Math.max(0, behind + performance.now() - begin - msFor(piece.length));
  }
  const timer = setTimeout(cutOff, behindMs - behind + msFor(unsentBytes));
  whenClosed(reply.raw, () => clearTimeout(timer));
}

async function* pieces(chunks: AsyncIterable<string | Buffer>) {
  for await (const chunk of chunks) {
    // Releases the source while it waits.
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield bytes.subarray(at, at + pieceBytes);
    }
  }
}

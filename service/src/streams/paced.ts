import type { FastifyReply } from 'fastify';
import { whenClosed } from './when-closed.ts';

/** The minimum speed at which a client must read. */
export interface Pace {
  /** The minimum speed. Slower clients fall behind. */
  leastBytesPerSecond: number;
  /** A client that lags further behind is disconnected. */
  behindMs: number;
}

/** The maximum that is passed to the connection at once, so that it is known how much was sent. */
const pieceBytes = 16 * 1024;
/** About the number of bytes that a connection buffers. */
const unsentBytes = 64 * 1024;

/**
 * A response in pieces, each of which is created when the previous ones were sent. A client that reads below the
 * minimum speed falls behind by the difference, and catches up by reading faster. A client that falls too far behind is
 * disconnected. Only the time that the service waits for the client counts, and not the time to create the response.
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

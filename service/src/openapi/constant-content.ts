import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import { takesGzip } from '../requests/accept.ts';

const compress = promisify(gzip);

interface Representation {
  body: Buffer;
  /** A strong one: it differs by the encoding (RFC 9110, section 8.8.3). */
  etag: string;
}

export interface Content {
  plain: Representation;
  gzipped: Representation;
}

/**
 * An `onSend` hook of a route that always returns 200 with the same text. The text is compressed once, and a client
 * that has it gets a 304.
 */
export function sendConstant(cacheControl: string) {
  let content: Promise<Content> | undefined;
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    if (reply.statusCode !== 200 || typeof payload !== 'string') return payload;
    content ??= represent(payload);
    return await answerWith(request, reply, await content, cacheControl);
  };
}

/** The body of a 200 with this content, or `null` for a client that has it, with the headers of `reply`. */
export async function answerWith(
  request: FastifyRequest,
  reply: FastifyReply,
  { plain, gzipped }: Content,
  cacheControl: string,
) {
  const isGzipped = takesGzip(request);
  const { body, etag } = isGzipped ? gzipped : plain;
  reply.headers({ ETag: etag, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' });
  if (fresh(request.headers, { etag })) {
    reply.code(304).removeHeader('Content-Type');
    return null;
  }
  if (isGzipped) reply.header('Content-Encoding', 'gzip');
  return request.method === 'HEAD' ? body : request.server.streams.constant(reply, body);
}

export async function represent(text: string): Promise<Content> {
  const plain = Buffer.from(text);
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return {
    plain: { body: plain, etag: `"${hash}"` },
    gzipped: { body: await compress(plain, { level: 9 }), etag: `"${hash}-gzip"` },
  };
}

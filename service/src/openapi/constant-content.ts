import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import { acceptedCoding } from '../requests/accept.ts';

/** How it is compressed (RFC 9110, section 8.4.1; RFC 7932). */
const codings = {
  br: (body: Buffer) => promisify(brotliCompress)(body, brotliOptions(body.length)),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
};

interface Representation {
  body: Buffer;
  /** A strong one: it differs by the encoding (RFC 9110, section 8.8.3). */
  etag: string;
}

export interface Content {
  plain: Representation;
  /** Compresses it once. Content that is compressed already has no other form. */
  compressed?(coding: keyof typeof codings): Promise<Representation>;
}

/** The best quality takes seconds for megabytes, for which the first client would wait. */
function brotliOptions(bytes: number) {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  return {
    params: { [BROTLI_PARAM_QUALITY]: bytes < 1_000_000 ? 11 : 6, [BROTLI_PARAM_SIZE_HINT]: bytes },
  };
}

/**
 * An `onSend` hook of a route that always returns 200 with the same text. The text is compressed once, and a client
 * that has it gets a 304.
 */
export function sendConstant(cacheControl: string) {
  let content: Content | undefined;
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    if (reply.statusCode !== 200 || typeof payload !== 'string') return payload;
    content ??= represent(payload);
    return await answerWith(request, reply, content, cacheControl);
  };
}

/** The body of a 200 with this content, or `null` for a client that has it, with the headers of `reply`. */
export async function answerWith(
  request: FastifyRequest,
  reply: FastifyReply,
  { plain, compressed }: Content,
  cacheControl: string,
) {
  const coding = compressed && acceptedCoding(request, ['br', 'gzip']);
  const { body, etag } = coding ? await compressed(coding) : plain;
  reply.headers({ ETag: etag, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' });
  if (fresh(request.headers, { etag })) {
    reply.code(304).removeHeader('Content-Type');
    return null;
  }
  if (coding) reply.header('Content-Encoding', coding);
  return request.method === 'HEAD' ? body : request.server.streams.constant(reply, body);
}

export function represent(text: string | Buffer): Required<Content> {
  const plain = Buffer.from(text);
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  const known: Partial<Record<keyof typeof codings, Promise<Representation>>> = {};
  return {
    plain: { body: plain, etag: `"${hash}"` },
    compressed(coding) {
      known[coding] ??= codings[coding](plain).then((body) => ({
        ...{ body, etag: `"${hash}-${coding}"` },
      }));
      return known[coding];
    },
  };
}

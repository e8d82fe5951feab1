import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { unsupportedMediaType } from '../../problems/answers.ts';
import { Problem } from '../../problems/problem.ts';
import { formBody, parseMultipart, parseUrlEncoded } from './forms.ts';
import { parseJson } from './json.ts';

export const mediaTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
];

const parsers: Parse[] = [parseJsonBody, parseFormBody, parseMultipartBody];

/**
 * Accepts JSON and both kinds of forms. An empty body of any type has no fields. Throws 415 for
 * another type or charset, and for a compressed body, and 400 for one that can't be parsed.
 */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  mediaTypes.forEach((type, at) => {
    addParser(app, type, parsers[at] ?? parseOther);
  });
  addParser(app, '*', parseOther);
  // A type without a body has no meaning, but Fastify refuses unknown types.
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    const isEmpty = !headers['transfer-encoding'] && Number(headers['content-length'] ?? 0) === 0;
    if (isEmpty) delete headers['content-type'];
  });
  app.addHook('preValidation', async (request) => {
    if (isNothing(request) && request.routeOptions.schema?.body) request.body = {};
  });
}

/** Some clients send `null` with a DELETE, such as Go's `Encode(nil)`. */
const isNothing = ({ body, method }: FastifyRequest) =>
  body === undefined || (body === null && method === 'DELETE');

type Parse = (body: Buffer, request: FastifyRequest) => unknown;

function addParser(app: FastifyInstance, type: string, parse: Parse): void {
  app.addContentTypeParser<Buffer>(
    type,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length === 0) return undefined;
      const { 'content-encoding': encoding = 'identity' } = request.headers;
      if (encoding.toLowerCase() !== 'identity') throw unsupportedMediaType();
      return await parse(body, request);
    },
  );
}

function parseJsonBody(body: Buffer, request: FastifyRequest): unknown {
  return parseJson(textOf(body, request));
}

function parseFormBody(body: Buffer, request: FastifyRequest): unknown {
  const text = textOf(body, request);
  // The default type of curl for any data.
  if (looksLikeJson(body)) throw unsupportedMediaType(sendAsJson);
  return formBody(parseUrlEncoded(text), bodySchema(request));
}

async function parseMultipartBody(body: Buffer, request: FastifyRequest): Promise<unknown> {
  const pairs = await parseMultipart(body, request.headers['content-type'] ?? '');
  textOf(body, request);
  return formBody(pairs, bodySchema(request));
}

function parseOther(body: Buffer, { headers }: FastifyRequest): never {
  const isUntyped = headers['content-type'] === undefined;
  throw unsupportedMediaType(isUntyped && looksLikeJson(body) ? sendAsJson : undefined);
}

const sendAsJson = 'The body looks like JSON: send Content-Type: application/json.';

/** Whether a body looks like JSON. Checks only the beginning, because no field of a form begins like this. */
function looksLikeJson(body: Buffer): boolean {
  return /^\s*[[{]\s*["[\]{}]/.test(body.toString('latin1', 0, 100));
}

function bodySchema(request: FastifyRequest): TSchema | undefined {
  return request.routeOptions.schema?.body as TSchema | undefined;
}

function textOf(body: Buffer, request: FastifyRequest): string {
  const type = request.headers['content-type'] ?? '';
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type) ?? [];
  if (!/^utf-?8$/i.test(charset)) throw unsupportedMediaType();
  if (isUtf8(body)) return new TextDecoder().decode(body);
  throw new Problem('malformed_request', 'The body is not valid UTF-8.');
}

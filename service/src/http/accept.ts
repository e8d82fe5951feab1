import type { FastifyRequest } from 'fastify';
import { Problem } from '../problem.ts';

/** Refuses (406) a client that can't take what the route answers with (RFC 9110, section 12.5.1). */
export async function requireAcceptable(request: FastifyRequest): Promise<void> {
  const { accept } = request.headers;
  if (accept === undefined || request.is404) return;
  const produced = request.routeOptions.config.produces ?? 'application/json';
  if (accepts(accept, produced)) return;
  throw new Problem('not_acceptable', `This address answers with ${produced} only.`);
}

function accepts(header: string, produced: string): boolean {
  const [type] = produced.split('/');
  const qualities = new Map(header.split(',').map(readRange));
  const quality = qualities.get(produced) ?? qualities.get(`${type}/*`) ?? qualities.get('*/*');
  return quality !== undefined && quality > 0;
}

function readRange(text: string): [range: string, quality: number] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [range, Number(quality)];
}

import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.ts';

/** Refuses (406) a client that can't take what the route answers with (RFC 9110, section 12.5.1). */
export async function requireAcceptable(request: FastifyRequest): Promise<void> {
  const { accept } = request.headers;
  if (accept === undefined || request.is404) return;
  const produced = request.routeOptions.config.produces ?? 'application/json';
  if (accepts(accept, produced)) return;
  throw new Problem('not_acceptable', `This path returns only ${produced}.`);
}

function accepts(header: string, produced: string): boolean {
  const [type] = produced.split('/');
  return qualityOf(header, [produced, `${type}/*`, '*/*']) > 0;
}

/** How much the first of these ranges that an `Accept…` header names is wanted; 0 for none. */
export function qualityOf(header: string, ranges: readonly string[]): number {
  const qualities = new Map(header.split(',').map(readRange));
  const named = ranges.find((range) => qualities.has(range));
  return named === undefined ? 0 : (qualities.get(named) ?? 0);
}

function readRange(text: string): [range: string, quality: number] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [range, Number(quality)];
}

import type { PageQuery } from '@berth/contract/pagination';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { After } from '../db/keyset.ts';
import { Problem } from '../problem.ts';
import { apiPath, canonicalPath } from './api-path.ts';
import { isRealTime } from './times.ts';

const rowsAtFirst = 20;
const mostRowsAtOnce = 500;
const bytesAtOnce = 64 * 1024;

export type SortColumn = 'id' | 'hostname' | 'created_at';

export interface Page<S extends SortColumn = SortColumn> {
  sort: S;
  descending: boolean;
  after: After | undefined;
  /** Undefined: all that there are. */
  limit: number | undefined;
  /** What to ask of the database: one more than the limit tells whether there is a next page. */
  fetch: number | undefined;
}

/**
 * What page a validated query asks for. Throws `invalid_cursor` (400) for a cursor that this
 * service did not make, or that it made for another order.
 */
export function readPage<S extends SortColumn = 'id'>(query: PageQuery): Page<S> {
  const order = query.sort ?? 'id';
  const { limit, cursor } = query;
  return {
    // The query's schema lists what can be sorted by.
    sort: order.replace(/^-/, '') as S,
    descending: order.startsWith('-'),
    after: cursor === undefined ? undefined : readCursor(cursor, order),
    limit,
    fetch: limit === undefined ? undefined : limit + 1,
  };
}

/** Answers a list: one page of it with `limit`; without, all of it, streamed in bounded memory. */
export async function sendList<S extends SortColumn, R extends Row<S>, V>(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page<S>,
  fetchPage: FetchPage<S, R>,
  view: (row: R) => V,
) {
  if (page.fetch === undefined) return sendAll(request, reply, page, fetchPage, view);
  const rows = await fetchPage(page.after, page.fetch);
  return answerPage(request, reply, page, rows).map(view);
}

/**
 * The rows of a page, of the `page.fetch` that were asked for. When there are more, the answer gets
 * a `Link` to them (RFC 8288) that keeps the query and the prefix of this request.
 */
function answerPage<S extends SortColumn, R extends Row<S>>(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page<S>,
  rows: R[],
): R[] {
  if (page.limit === undefined || rows.length <= page.limit) return rows;
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  if (last) reply.header('Link', `<${nextUrl(request, page, last)}>; rel="next"`);
  return shown;
}

type Row<S extends SortColumn> = Record<S | 'id', string | number>;
type FetchPage<S extends SortColumn, R> = (after: Page<S>['after'], limit: number) => Promise<R[]>;

/** The first rows are read before the answer begins, so that a refusal can still be one. */
async function sendAll<S extends SortColumn, R extends Row<S>>(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page<S>,
  fetchPage: FetchPage<S, R>,
  view: (row: R) => unknown,
) {
  const lines = allRows(page, fetchPage, (row) => JSON.stringify(view(row)));
  const stream = await request.server.streams.begin(request, reply, jsonArray(lines));
  return reply.type('application/json; charset=utf-8').send(stream);
}

/** All of a list, a line of JSON each. The reply has its media type already. */
export async function sendLines<S extends SortColumn, R extends Row<S>>(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page<S>,
  fetchPage: FetchPage<S, R>,
  view: (row: R) => unknown,
) {
  const lines = allRows(page, fetchPage, (row) => `${JSON.stringify(view(row))}\n`);
  return reply.send(await request.server.streams.begin(request, reply, jsonLines(lines)));
}

async function* jsonArray(groups: AsyncIterable<string[]>) {
  let separator = '[';
  for await (const rows of groups) {
    yield separator + rows.join(',');
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

async function* jsonLines(groups: AsyncIterable<string[]>) {
  for await (const rows of groups) yield rows.join('');
}

/** Some at a time: as many as come to about so many bytes, going by the ones before. */
async function* allRows<S extends SortColumn, R extends Row<S>>(
  page: Page<S>,
  fetchPage: FetchPage<S, R>,
  write: (row: R) => string,
) {
  let { after } = page;
  let limit = rowsAtFirst;
  while (true) {
    const rows = await fetchPage(after, limit);
    const last = rows.at(-1);
    if (!last) return;
    const isLast = rows.length < limit;
    after = { value: last[page.sort], id: Number(last.id) };
    const texts = rows.map(write);
    const length = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
    limit = Math.min(mostRowsAtOnce, Math.max(1, Math.floor(bytesAtOnce / length)));
    yield texts;
    if (isLast) return;
  }
}

function nextUrl<S extends SortColumn>(
  request: FastifyRequest,
  page: Page<S>,
  last: Row<S>,
): string {
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  const order = (page.descending ? '-' : '') + page.sort;
  query.set('cursor', writeCursor(order, { value: last[page.sort], id: Number(last.id) }));
  const path = canonicalPath(request.url).replace(/^\/v1/, '');
  return `${apiPath(request, path)}?${query}`;
}

function writeCursor(order: string, after: After): string {
  return Buffer.from(JSON.stringify([order, after.value, after.id])).toString('base64url');
}

const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const isValue: Record<string, (value: unknown) => value is string | number> = {
  id: isId,
  hostname: isHostName,
  created_at: isTimestamp,
};

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isHostName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9.-]{1,253}$/.test(value);
}

function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && timestampPattern.test(value) && isRealTime(value);
}

function readCursor(cursor: string, order: string): After {
  const [madeFor, value, id, ...rest] = decode(cursor);
  const valid = isValue[order.replace(/^-/, '')];
  if (madeFor === order && valid?.(value) && isId(id) && rest.length === 0) return { value, id };
  throw invalidCursor();
}

function decode(cursor: string): unknown[] {
  if (!/^[A-Za-z0-9_-]+$/.test(cursor)) throw invalidCursor();
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parts) ? parts : [];
  } catch (error) {
    throw invalidCursor(error);
  }
}

function invalidCursor(cause?: unknown): Problem {
  const detail = 'The cursor is not one that this list gave out for this order. Begin without one.';
  const errors = [{ pointer: '/cursor', detail: 'Must be taken from a Link header of this list.' }];
  return new Problem('invalid_cursor', detail, { errors, cause });
}

import type { PageQuery } from '@berth/contract/pagination';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { After } from '../db/keyset.ts';
import type { Listing } from '../db/listing.ts';
import { Problem } from '../problems/problem.ts';
import { apiPath, canonicalPath } from './api-path.ts';
import { countApplied, prefersCount } from './prefer.ts';
import { isRealTime, requirePeriod } from './times.ts';

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
}

/**
 * What page a validated query asks for. Throws `invalid_cursor` (400) for a cursor that this
 * service did not make, or that it made for another order, and `validation_failed` (422) for a period
 * that ends before it begins.
 */
export function readPage<S extends SortColumn = 'id'>(
  query: PageQuery & Parameters<typeof requirePeriod>[0],
): Page<S> {
  requirePeriod(query);
  const order = query.sort ?? 'id';
  const { limit, cursor } = query;
  return {
    // The query's schema lists what can be sorted by.
    sort: order.replace(/^-/, '') as S,
    descending: order.startsWith('-'),
    after: cursor === undefined ? undefined : readCursor(cursor, order),
    limit,
  };
}

/**
 * Answers a list: one page of it with `limit`; without, all of it, streamed in bounded memory. With
 * `Prefer: count=exact`, a header says how many there are on all pages.
 */
export async function sendList<S extends SortColumn, R extends Row<S>>(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page<S>,
  listing: Listing<R>,
  view: (row: R) => unknown,
) {
  if (prefersCount(request)) {
    countApplied(reply);
    reply.header('Total-Count', String(await listing.count()));
  }
  const { streams } = request.server;
  const end: { last?: R } = {};
  const lines = rowsOf(page, listing.page, (row) => JSON.stringify(view(row)), end);
  reply.type('application/json; charset=utf-8');
  if (page.limit === undefined) {
    return reply.send(await streams.begin(request, reply, framed(jsonArray, lines)));
  }
  // Only its end tells whether there is a next page, and headers come first.
  const body = await streams.gather(request, reply, framed(jsonArray, lines));
  // RFC 8288. It keeps the query and the prefix of this request.
  if (end.last) reply.header('Link', `<${nextUrl(request, page, end.last)}>; rel="next"`);
  return reply.send(body);
}

type Row<S extends SortColumn> = Record<S | 'id', string | number>;

type FetchPage<S extends SortColumn, R> = (after: Page<S>['after'], limit: number) => Promise<R[]>;

/** All of a list, a line of JSON each. The reply has its media type already. */
export async function sendLines<R extends Row<'id'>>(
  request: FastifyRequest,
  reply: FastifyReply,
  listing: Pick<Listing<R>, 'page'>,
  view: (row: R) => unknown,
) {
  const write = (row: R) => `${JSON.stringify(view(row))}\n`;
  return sendRows(request, reply, listing.page, { write });
}

interface Frame {
  head?: string;
  separator?: string;
  tail?: string;
}

/** All of a list as text, by id, streamed in bounded memory. The reply has its media type already. */
export async function sendRows<R extends Row<'id'>>(
  request: FastifyRequest,
  reply: FastifyReply,
  fetchPage: FetchPage<'id', R>,
  { write, ...frame }: Frame & { write: (row: R) => string },
) {
  const rows = framed(frame, rowsOf(readPage({}), fetchPage, write));
  return reply.send(await request.server.streams.begin(request, reply, rows));
}

const jsonArray = { head: '[', separator: ',', tail: ']' };

async function* framed(
  { head = '', separator = '', tail = '' }: Frame,
  groups: AsyncIterable<string[]>,
) {
  let isFirst = true;
  for await (const rows of groups) {
    yield (isFirst ? head : separator) + rows.join(separator);
    isFirst = false;
  }
  yield (isFirst ? head : '') + tail;
}

/**
 * The rows of a page, or all there are, written some at a time: as many as come to about so many bytes, going
 * by the ones before. However large a page is, it holds the event loop and the memory for a few rows at once.
 * @param end told the last row of a page, if there are more behind it
 */
async function* rowsOf<S extends SortColumn, R extends Row<S>>(
  page: Page<S>,
  fetchPage: FetchPage<S, R>,
  write: (row: R) => string,
  end: { last?: R } = {},
) {
  const isPaged = page.limit !== undefined;
  let { after, limit: left = Number.POSITIVE_INFINITY } = page;
  let most = rowsAtFirst;
  for (let areMore = true; areMore && left > 0; ) {
    const wanted = Math.min(most, left);
    // Of a page, one row more tells whether there is another page.
    const found = await fetchPage(after, isPaged ? wanted + 1 : wanted);
    const rows = found.slice(0, wanted);
    const last = rows.at(-1);
    if (!last) return;
    areMore = isPaged ? found.length > wanted : found.length === wanted;
    left -= rows.length;
    if (areMore && left === 0) end.last = last;
    const texts = rows.map(write);
    const length = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
    most = Math.min(mostRowsAtOnce, Math.max(1, Math.floor(bytesAtOnce / length)));
    after = { value: last[page.sort], id: Number(last.id) };
    yield texts;
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
  const detail =
    'The cursor was not issued by this list for this order. Start again without a cursor.';
  const errors = [{ pointer: '/cursor', detail: 'Must be taken from a Link header of this list.' }];
  return new Problem('invalid_cursor', detail, { errors, cause });
}

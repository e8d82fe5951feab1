import { createHash } from 'node:crypto';
import type { PageQuery } from '@berth/contract/pagination';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { After } from '../db/keyset.ts';
import type { Listing } from '../db/listing.ts';
import { Problem } from '../problems/problem.ts';
import { apiPath, canonicalPath } from './api-path.ts';
import { countApplied, prefersCount } from './prefer.ts';
import { isRealTime, requirePeriod } from './times.ts';

/** The number of rows in a part, for rows that may be large. Lists of small rows set another number. */
const rowsAtFirst = 20;
const mostRowsAtOnce = 500;
const bytesAtOnce = 64 * 1024;

export type SortColumn = 'id' | 'hostname' | 'created_at';

export interface Page<S extends SortColumn = SortColumn> {
  sort: S;
  descending: boolean;
  after: After | undefined;
  /** The number of rows; undefined means all. */
  limit: number | undefined;
  /** Digest of the list, its filters and its order, which cursors carry. */
  of: string;
}

/** A validated request for a list. */
interface ListRequest {
  url: string;
  query: PageQuery & Parameters<typeof requirePeriod>[0];
}

/**
 * Reads which page a request asks for. Throws `invalid_cursor` (400) for a cursor that is not from
 * this service, or from another list, order or filter, and `validation_failed` (422) for a period
 * that ends before it begins.
 */
export function readPage<S extends SortColumn = 'id'>({ url, query }: ListRequest): Page<S> {
  requirePeriod(query);
  const { limit, cursor, sort: order = 'id', ...filters } = query;
  const of = digestOf(unprefixed(url), order, filters);
  return {
    // The schema of the query lists the possible values.
    sort: order.replace(/^-/, '') as S,
    descending: order.startsWith('-'),
    after: cursor === undefined ? undefined : readCursor(cursor, order, of),
    limit,
    of,
  };
}

/** Identifies the list to which a cursor is bound. It may be short: a collision helps nobody. */
export function digestOf(path: string, order: string, filters: object): string {
  const sorted = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([path, order, sorted]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/** The path of a request without its prefix and query. */
const unprefixed = (url: string) => canonicalPath(url).replace(/^\/v1/, '');

/**
 * Sends a list: one page with `limit`, otherwise all of it, streamed in bounded memory. With
 * `Prefer: count=exact`, a header has the total number over all pages.
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
  const lines = rowsOf(page, listing, (row) => JSON.stringify(view(row)), end);
  reply.type('application/json; charset=utf-8');
  if (page.limit === undefined) {
    return reply.send(await streams.begin(request, reply, framed(jsonArray, lines)));
  }
  // Whether there is a next page is known only at the end, and headers are sent first.
  const body = await streams.gather(request, reply, framed(jsonArray, lines));
  // RFC 8288. It keeps the query and the prefix of this request.
  if (end.last) reply.header('Link', `<${nextUrl(request, page, end.last)}>; rel="next"`);
  return reply.send(body);
}

type Row<S extends SortColumn> = Record<S | 'id', string | number>;

type FetchPage<S extends SortColumn, R> = (after: Page<S>['after'], limit: number) => Promise<R[]>;

/** Sends a whole list, with one JSON object per line. The media type must have been set. */
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

/** Sends a whole list as text, by id, streamed in bounded memory. The media type must have been set. */
export async function sendRows<R extends Row<'id'>>(
  request: FastifyRequest,
  reply: FastifyReply,
  fetchPage: FetchPage<'id', R>,
  { write, ...frame }: Frame & { write: (row: R) => string },
) {
  const rows = framed(frame, rowsOf(everything, { page: fetchPage }, write));
  return reply.send(await request.server.streams.begin(request, reply, rows));
}

const everything = { sort: 'id', after: undefined, limit: undefined } as const;

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
 * The rows of a page, or all rows, written in parts whose size follows from the rows before, so
 * that a large page holds the event loop and the memory for a few rows at a time only.
 * @param end receives the last row of a page if more rows follow
 */
async function* rowsOf<S extends SortColumn, R extends Row<S>>(
  page: Pick<Page<S>, 'sort' | 'after' | 'limit'>,
  listing: { page: FetchPage<S, R>; rowsAtFirst?: number | undefined },
  write: (row: R) => string,
  end: { last?: R } = {},
) {
  const isPaged = page.limit !== undefined;
  let { after, limit: left = Number.POSITIVE_INFINITY } = page;
  let most = listing.rowsAtFirst ?? rowsAtFirst;
  for (let areMore = true; areMore && left > 0; ) {
    const wanted = Math.min(most, left);
    // One row more than the page shows whether there is another page.
    const found = await listing.page(after, isPaged ? wanted + 1 : wanted);
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
  query.set('cursor', writeCursor(order, last[page.sort], Number(last.id), page.of));
  return `${apiPath(request, unprefixed(request.url))}?${query}`;
}

function writeCursor(...parts: [order: string, value: string | number, id: number, of: string]) {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
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

function readCursor(cursor: string, order: string, of: string): After {
  const [madeFor, value, id, madeOf, ...rest] = decode(cursor);
  const valid = isValue[order.replace(/^-/, '')];
  const isWhole = madeFor === order && madeOf === of && rest.length === 0;
  if (isWhole && valid?.(value) && isId(id)) return { value, id };
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
    'The cursor was not issued by this list for these filters and this order. Start again without a cursor, and ' +
    'follow the `next` link of the `Link` header unchanged.';
  const errors = [
    { parameter: 'cursor', detail: 'Must be taken from a Link header of this list.' },
  ];
  return new Problem('invalid_cursor', detail, { errors, cause });
}

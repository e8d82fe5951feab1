import { hash } from 'node:crypto';
import type { PageQuery } from '@berth/contract/pagination';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { After } from '../db/keyset.ts';
import type { Listing } from '../db/listing.ts';
import { Problem } from '../problems/problem.ts';
import { apiPath, canonicalPath } from './api-path.ts';
import { countApplied, prefersCount } from './prefer.ts';
import { allRows, type ListInParts, pageRows, type RowFormat } from './rows.ts';
import { isRealTime, requirePeriod } from './times.ts';

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
  return hash('sha256', text, 'base64url').slice(0, 12);
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
  const format: RowFormat<R> = {
    write: (row) => JSON.stringify(view(row)),
    positionOf: (row) => ({ value: row[page.sort], id: Number(row.id) }),
  };
  reply.type('application/json; charset=utf-8');
  if (page.limit === undefined) {
    const all = allRows(listing, format, page.after);
    return reply.send(await streams.begin(request, reply, framed(jsonArray, all)));
  }
  const rows = pageRows(listing, format, page.after, page.limit);
  const parts = framed(jsonArray, rows.parts);
  // Headers are sent first, so a large page finds its end before it is written.
  const body = await streams.beginPage(request, reply, parts, rows.findEnd);
  const end = rows.end();
  // RFC 8288. It keeps the query and the prefix of this request.
  if (end) reply.header('Link', `<${nextUrl(request, page, end)}>; rel="next"`);
  return reply.send(body);
}

type Row<S extends SortColumn> = Record<S | 'id', string | number>;

/** Sends a whole list, with one JSON object per line. The media type must have been set. */
export async function sendLines<R extends Row<'id'>>(
  request: FastifyRequest,
  reply: FastifyReply,
  listing: ListInParts<R>,
  view: (row: R) => unknown,
) {
  const write = (row: R) => `${JSON.stringify(view(row))}\n`;
  return sendRows(request, reply, listing, { write });
}

interface Frame {
  head?: string;
  separator?: string;
  /** Called after the last row. */
  tail?: () => string;
}

/** Sends a whole list as text, by id, streamed in bounded memory. The media type must have been set. */
export async function sendRows<R extends Row<'id'>>(
  request: FastifyRequest,
  reply: FastifyReply,
  listing: ListInParts<R>,
  { write, ...frame }: Frame & { write: (row: R) => string },
) {
  const positionOf = ({ id }: R) => ({ value: id, id: Number(id) });
  const rows = framed(frame, allRows(listing, { write, positionOf }));
  return reply.send(await request.server.streams.begin(request, reply, rows));
}

const jsonArray = { head: '[', separator: ',', tail: () => ']' };

async function* framed(
  { head = '', separator = '', tail = () => '' }: Frame,
  groups: AsyncIterable<string[]>,
) {
  let isFirst = true;
  for await (const rows of groups) {
    yield (isFirst ? head : separator) + rows.join(separator);
    isFirst = false;
  }
  yield (isFirst ? head : '') + tail();
}

function nextUrl(request: FastifyRequest, page: Page, end: After): string {
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  const order = (page.descending ? '-' : '') + page.sort;
  query.set('cursor', writeCursor(order, end.value, end.id, page.of));
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

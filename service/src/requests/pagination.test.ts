import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pageParameters, sortParameter } from '@berth/contract/pagination';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import type { Listing } from '../db/listing.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { digestOf, type Page, readPage, type SortColumn, sendList } from './pagination.ts';

const { db, close } = await createTestDatabase();
after(close);

/** Each host name exists twice, so that only the id distinguishes two rows. */
const rows = Array.from({ length: 7 }, (_, at) => ({
  id: at + 1,
  hostname: `host-${Math.floor(at / 2)}`,
  created_at: `2026-11-0${(at % 3) + 1}T00:00:00.00000${at}Z`,
}));

function listRoute(api: App): void {
  const querystring = Type.Object(
    {
      ...pageParameters,
      sort: sortParameter(['id', 'hostname', 'created_at']),
      os_id: Type.Optional(Type.Integer()),
    },
    { additionalProperties: false },
  );
  const schema = { querystring, response: { 200: Type.Array(Type.Any()) } };
  const config = { scope: 'servers:read' } as const;
  // Two rows of `/large` are too large to be sent before the end of the page is found.
  for (const path of ['/rows', '/others', '/large']) {
    api.get(path, { config, schema }, async (request, reply) => {
      const page = readPage<SortColumn>(request);
      const sign = page.descending ? -1 : 1;
      const compare = (a: string | number, b: string | number) => (a === b ? 0 : a < b ? -1 : 1);
      const sorted = rows.toSorted(
        (a, b) => sign * (compare(a[page.sort], b[page.sort]) || a.id - b.id),
      );
      const isBeyond = (row: (typeof rows)[number], after: Page['after']) =>
        !after || sign * (compare(row[page.sort], after.value) || row.id - after.id) > 0;
      const pageOf = (after: Page['after'], limit: number) =>
        sorted.filter((row) => isBeyond(row, after)).slice(0, limit);
      const listing: Listing<(typeof rows)[number]> = {
        page: async (after, limit) => pageOf(after, limit),
        keys: async (after, limit) =>
          pageOf(after, limit).map((row) => ({ value: row[page.sort], id: row.id })),
        rows: async (ids) => sorted.filter(({ id }) => ids.includes(id)),
        count: async () => sorted.length,
        rowsAtFirst: path === '/large' ? 1 : 20,
      };
      const more = path === '/large' ? { text: 'x'.repeat(40_000) } : {};
      return sendList(request, reply, page, listing, (row) => ({ ...row, ...more }));
    });
  }
}

let app: App;
let headers: Record<string, string>;
before(async () => {
  app = await createTestApp(db, [listRoute]);
  headers = (await createTestToken(db)).headers;
});
after(() => app.close());

const ask = (url: string) => inject(app, { url, headers });

function nextOf(answer: { headers: Record<string, unknown> }): string | undefined {
  const { link } = answer.headers;
  return link === undefined ? undefined : /^<(.*)>; rel="next"$/.exec(String(link))?.[1];
}

async function walk(url: string): Promise<number[]> {
  const ids: number[] = [];
  for (let at: string | undefined = url; at; ) {
    const answer = await ask(at);
    assert.equal(answer.statusCode, 200, answer.body);
    ids.push(...answer.json().map((row: { id: number }) => row.id));
    at = nextOf(answer);
  }
  return ids;
}

test('without a limit all rows are returned, without a link', async () => {
  const answer = await ask('/v1/rows');
  assert.equal(answer.json().length, 7);
  assert.equal(answer.headers.link, undefined);
});

test('the pages together are the whole list, in any order and size', async () => {
  for (const sort of ['id', '-id', 'hostname', '-hostname', 'created_at', '-created_at']) {
    const whole = (await ask(`/v1/rows?sort=${sort}`)).json().map((row: { id: number }) => row.id);
    for (const limit of [1, 2, 3, 6, 7, 8, 1000]) {
      for (const path of ['/v1/rows', '/v1/large']) {
        const query = `${path}?sort=${sort}&limit=${limit}`;
        assert.deepEqual(await walk(query), whole, query);
      }
    }
  }
});

test('the total number is returned on request', async () => {
  for (const prefer of ['count=exact', 'count', 'respond-async, Count = "exact"']) {
    const answer = await inject(app, {
      url: '/v1/rows?limit=2',
      headers: { ...headers, prefer },
    });
    assert.equal(answer.json().length, 2);
    assert.equal(answer.headers['total-count'], '7', prefer);
    assert.equal(answer.headers['preference-applied'], 'count=exact');
  }
  const all = await inject(app, { url: '/v1/rows', headers: { ...headers, prefer: 'count' } });
  assert.deepEqual([all.json().length, all.headers['total-count']], [7, '7']);
  for (const prefer of ['wait=5', 'count=planned', 'account']) {
    const answer = await inject(app, { url: '/v1/rows', headers: { ...headers, prefer } });
    assert.equal(answer.headers['total-count'], undefined, prefer);
    assert.equal(answer.headers['preference-applied'], undefined, prefer);
  }
});

test('the last page has no link, even if it is full', async () => {
  assert.equal(nextOf(await ask('/v1/rows?limit=7')), undefined);
  assert.ok(nextOf(await ask('/v1/rows?limit=6')));
});

test('the link keeps the prefix and the rest of the query', async () => {
  const next = nextOf(await ask('/api/v1/rows/?limit=2&os_id=3&sort=-hostname')) ?? '';
  const { pathname, searchParams } = new URL(next, 'http://localhost');
  assert.equal(pathname, '/api/v1/rows');
  assert.equal(searchParams.get('os_id'), '3');
  assert.equal(searchParams.get('limit'), '2');
  assert.equal(searchParams.get('sort'), '-hostname');
});

/** A cursor of `/v1/rows`, with other values. */
const cursorOf = (order: string, ...parts: unknown[]) =>
  encode([order, ...parts, digestOf('/rows', order, {})]);

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('an unknown cursor is a 400', async () => {
  const cursors = [
    'x',
    '!!',
    'bnVsbA',
    encode({}),
    encode([]),
    encode(['id', 1, 1]),
    cursorOf('id', 1),
    cursorOf('id', '1', 1),
    cursorOf('id', 1, 1, 1),
    cursorOf('id', -1, 1),
    cursorOf('id', 1.5, 1),
    cursorOf('hostname', 'a', 1),
  ];
  assert.equal((await ask(`/v1/rows?cursor=${cursorOf('id', 1, 1)}`)).statusCode, 200);
  for (const cursor of cursors) {
    const answer = await ask(`/v1/rows?cursor=${cursor}`);
    assert.equal(answer.statusCode, 400, cursor);
    assert.equal(answer.json().code, 'invalid_cursor');
  }
  for (const value of [
    1,
    'a\0',
    '',
    '2026-11-01T00:00:00Z',
    '2026-13-01T00:00:00.000000Z',
    '2026-02-30T00:00:00.000000Z',
  ]) {
    const cursor = cursorOf('created_at', value, 1);
    assert.equal(
      (await ask(`/v1/rows?sort=created_at&cursor=${cursor}`)).statusCode,
      400,
      String(value),
    );
  }
});

test('a cursor is bound to a list, its filters and its order; the limit may change', async () => {
  const made = async (query: string) => {
    const next = nextOf(await ask(`/v1/rows?limit=2&${query}`)) ?? '';
    return new URL(next, 'http://x').searchParams.get('cursor');
  };
  const cursor = await made('os_id=3&sort=hostname');
  const status = async (query: string) =>
    (await ask(`/${query}&cursor=${cursor}`)).json().code ?? 'taken';
  assert.equal(await status('v1/rows?sort=hostname&os_id=3&limit=5'), 'taken');
  assert.equal(await status('api/v1/rows/?os_id=3&sort=hostname'), 'taken');
  for (const query of [
    'os_id=4&sort=hostname',
    'sort=hostname',
    'os_id=3',
    'os_id=3&sort=-hostname',
  ]) {
    assert.equal(await status(`v1/rows?${query}`), 'invalid_cursor', query);
  }
  assert.equal(await status('v1/others?os_id=3&sort=hostname'), 'invalid_cursor');
});

test('parameters are strict', async () => {
  const bad = [
    'limit=0',
    'limit=1001',
    'limit=1e2',
    'limit=',
    'limit=1&limit=2',
    'limit=%201',
    'sort=name',
    'sort=--id',
    'cursor=',
    'offset=1',
  ];
  for (const query of bad) {
    const answer = await ask(`/v1/rows?${query}`);
    assert.equal(answer.statusCode, 422, query);
    assert.deepEqual(
      answer.json().errors.map((e: { parameter: string }) => e.parameter),
      [query.split('=')[0]],
    );
  }
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { after, test } from 'node:test';
import { pageParameters } from '@berth/contract/pagination';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { plainShell } from '../edge/settings.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { numberedList } from '../testing/numbered-list.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { untilUnchanged } from '../testing/until.ts';

// Tests pages of large rows, which are read and written in parts, or refused before they are read.

const { db, close } = await createTestDatabase();
after(close);
const kilobyte = 1024;
const count = 2000;
let fetched: number[] = [];
const rows = numberedList({
  count,
  row: (id) => ({ id }),
  fetched: (asked) => void fetched.push(asked),
});

function listRoute(api: App): void {
  const querystring = Type.Object(pageParameters, { additionalProperties: false });
  const schema = { querystring, response: { 200: Type.Array(Type.Any()) } };
  const config = { scope: 'servers:read' } as const;
  api.get('/heavy', { config, schema }, (request, reply) =>
    sendList(request, reply, readPage(request), rows, ({ id }) => ({
      id,
      text: 'x'.repeat(8 * kilobyte),
    })),
  );
  api.get('/huge', { config, schema }, (request, reply) =>
    sendList(request, reply, readPage(request), rows, ({ id }) => ({
      id,
      text: 'x'.repeat(128 * kilobyte),
    })),
  );
}

// A token can have one large response at a time.
const app = await createTestApp(db, [listRoute], { shell: { ...plainShell, maxStreams: 10 } });
await app.listen({ host: '127.0.0.1', port: 0 });
after(() => app.close());
const { port } = app.server.address() as AddressInfo;
const { headers } = await createTestToken(db, { scopes: ['servers:read'] });

async function pageOf(query: string) {
  fetched = [];
  const answer = await app.inject({ url: `/v1/heavy${query}`, headers });
  assert.equal(answer.statusCode, 200, answer.body.slice(0, 200));
  const ids: number[] = answer.json().map(({ id }: { id: number }) => id);
  return { answer, ids, link: answer.headers.link };
}

test('a page of 1000 large rows is read a few rows at a time, and complete', async () => {
  const { ids, link } = await pageOf('?limit=1000');
  assert.deepEqual(
    ids,
    Array.from({ length: 1000 }, (_, at) => at + 1),
  );
  assert.match(String(link), /rel="next"/);
  const [, ...others] = fetched;
  // 64 KiB, and one row that shows whether there are more.
  assert.ok(Math.max(...others) <= 9, `${fetched}`);
});

test('the link to the next page is correct wherever a part ends', async () => {
  for (const limit of [1, 2, 7, 8, 9, 19, 20, 21, 22, 27, 28, 29, 36, 100]) {
    const { ids, link } = await pageOf(`?limit=${limit}`);
    assert.equal(ids.length, limit);
    assert.match(String(link), /rel="next"/);
    const next = /^<([^>]+)>/.exec(String(link))?.[1]?.replace('/v1/heavy', '') ?? '';
    assert.equal((await pageOf(next)).ids[0], limit + 1);
  }
  const rest = (await pageOf('?limit=1000')).link;
  const last = await pageOf(/^<([^>]+)>/.exec(String(rest))?.[1]?.replace('/v1/heavy', '') ?? '');
  assert.deepEqual([last.ids.length, last.ids.at(-1), last.link], [1000, count, undefined]);
});

test('a large page that is not read is created only up to the buffer of its connection', async () => {
  const { headers: own } = await createTestToken(db, { scopes: ['servers:read'] });
  fetched = [];
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(
    `GET /v1/huge?limit=1000 HTTP/1.1\r\nHost: a\r\nAuthorization: ${own.authorization}\r\n\r\n`,
  );
  const [data] = await once(socket, 'data');
  socket.pause();
  assert.match(String(data), /^HTTP\/1\.1 200 .*\r\nlink: <[^>]+>; rel="next"\r\n/is);
  await untilUnchanged('the number of pages', () => fetched.length);
  socket.destroy();
  const created = fetched.reduce((sum, asked) => sum + asked, 0);
  // Of 128 MB, only the buffers of the kernel and not much more are filled.
  assert.ok(created < 500, `${created} rows of 128 KiB`);
});

test('a large page without a free place is refused before more than its beginning is read', async () => {
  const socket = connect({ port, host: '127.0.0.1' });
  after(() => socket.destroy());
  const { authorization } = headers;
  socket.write(`GET /v1/heavy HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  fetched = [];
  const answer = await app.inject({ url: '/v1/heavy?limit=1000', headers });
  assert.deepEqual([answer.statusCode, answer.json().code], [429, 'rate_limited']);
  assert.deepEqual(fetched, [21]);
});

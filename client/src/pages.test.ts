import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, problem, serve } from '../testing/server.ts';
import { InvalidCursorError, items } from './index.ts';

const page = (ids: number[], next?: string) =>
  json(
    ids.map((id) => ({ id })),
    next ? { Link: `</v1/servers?limit=2&sort=-id&cursor=${next}>; rel="next"` } : {},
  );

test('all items are returned, page by page, with the parameters of the first one', async () => {
  const { berth, requests } = await serve([page([4, 3], 'one'), page([2, 1], 'two'), page([])]);
  const query = { limit: 2, sort: '-id' as const };
  const seen: number[] = [];
  for await (const { id } of items(berth, '/v1/servers', { params: { query } })) seen.push(id);
  assert.deepEqual(seen, [4, 3, 2, 1]);
  assert.deepEqual(
    requests.map(({ url }) => url),
    ['', '&cursor=one', '&cursor=two'].map((more) => `/v1/servers?limit=2&sort=-id${more}`),
  );
});

test('a page has 100 items by default, and is requested only when it is needed', async () => {
  const { berth, requests } = await serve([page([1], 'one'), problem(400, 'invalid_cursor')]);
  for await (const { id } of items(berth, '/v1/servers')) {
    assert.equal(id, 1);
    break;
  }
  assert.deepEqual(
    requests.map(({ url }) => url),
    ['/v1/servers?limit=100'],
  );
});

test('a page that fails is an error after the items of the previous pages', async () => {
  const { berth } = await serve([page([1], 'one'), problem(400, 'invalid_cursor')]);
  const seen: number[] = [];
  const read = async () => {
    for await (const { id } of items(berth, '/v1/servers')) seen.push(id);
  };
  await assert.rejects(read, InvalidCursorError);
  assert.deepEqual(seen, [1]);
});

test('a list may have parameters in its path', async () => {
  const { berth, requests } = await serve([json([{ email: 'ada@example.com' }])]);
  const params = { path: { id: 'web' } };
  for await (const member of items(berth, '/v1/projects/{id}/members', { params })) {
    assert.equal(member.email, 'ada@example.com');
  }
  assert.equal(requests[0]?.url, '/v1/projects/web/members?limit=100');
});

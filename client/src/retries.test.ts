import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../service/src/testing/until.ts';
import { freeMemory } from '../testing/memory.ts';
import { disconnect, json, page, problem, type Reply, serve, silence } from '../testing/server.ts';
import {
  ConnectionFailedError,
  OperationInProgressError,
  RateLimitedError,
  UnavailableError,
} from './index.ts';
import { retryAfterMs, retrying } from './retries.ts';

const done = json({ message: 'It is being started.', operation: { id: 1 } }, {}, 202);
const soon = { 'Retry-After': '0' };
const start = { params: { path: { id: 1 } } };
const signIn = { body: { email: 'ada@example.com', password: 'secret' } };

test('a change is sent again with the same key and body after a lost connection and after 503', async () => {
  const replies = [disconnect, problem(503, 'unavailable', soon), done] as const;
  const { berth, requests } = await serve(replies);
  const body = { force: true };
  const { data } = await berth.POST('/v1/servers/{id}/stop', { ...start, body });
  assert.equal(data.operation.id, 1);
  assert.equal(requests.length, 3);
  const [key] = new Set(requests.map(({ headers }) => headers['idempotency-key']));
  assert.match(String(key), /^[0-9a-f]{32}$/);
  for (const request of requests) {
    assert.equal(request.headers['idempotency-key'], key);
    assert.equal(request.body, '{"force":true}');
  }
});

test('each call has a key of its own, unless the program chooses one', async () => {
  const { berth, requests } = await serve([done]);
  const keys = () => requests.map(({ headers }) => headers['idempotency-key']);
  await berth.POST('/v1/servers/{id}/start', start);
  await berth.DELETE('/v1/servers/{id}', start);
  const header = { 'Idempotency-Key': 'mine' };
  await berth.POST('/v1/servers/{id}/start', { params: { ...start.params, header } });
  await berth.GET('/v1/servers');
  const [first, second, third, ofRead] = keys();
  assert.notEqual(first, second);
  assert.deepEqual([third, ofRead], ['mine', undefined]);
});

test('a refused request is sent again after Retry-After, even if it takes no key', async () => {
  const replies = [problem(429, 'rate_limited', { 'Retry-After': '1' }), done] as const;
  const { berth, requests } = await serve(replies);
  await berth.POST('/v1/session', signIn);
  const [first, second] = requests;
  assert.ok(first && second);
  assert.ok(second.at - first.at >= 1000, `${second.at - first.at} ms`);
  assert.equal(second.headers['idempotency-key'], undefined);
});

const onceOnly: [name: string, reply: Reply, code: string][] = [
  ['after a lost connection', disconnect, 'connection_failed'],
  ['after 503', problem(503, 'unavailable', soon), 'unavailable'],
  ['after 502 of a proxy', page(502), 'unexpected_response'],
];
for (const [name, reply, code] of onceOnly) {
  test(`a change that takes no key is not sent again ${name}`, async () => {
    const { berth, requests } = await serve([reply, done]);
    await assert.rejects(berth.POST('/v1/session', signIn), { code });
    assert.equal(requests.length, 1);
  });
}

const again: [name: string, reply: Reply][] = [
  ['502 of a proxy', page(502)],
  ['409, while the first request is in progress', problem(409, 'idempotency_in_progress', soon)],
];
for (const [name, reply] of again) {
  test(`a change with a key is sent again after ${name}`, async () => {
    const { berth, requests } = await serve([reply, done]);
    await berth.POST('/v1/servers/{id}/start', start);
    assert.equal(requests.length, 2);
  });
}

test('the failure of an operation and another operation in progress are errors at once', async () => {
  const failed = await serve([problem(503, 'engine_unreachable')]);
  await assert.rejects(failed.berth.POST('/v1/servers/{id}/start', start), {
    code: 'engine_unreachable',
  });
  const busy = await serve([problem(409, 'operation_in_progress', { 'Retry-After': '2' })]);
  await assert.rejects(busy.berth.POST('/v1/servers/{id}/start', start), (error) => {
    assert.ok(error instanceof OperationInProgressError);
    assert.equal(error.retryAfterMs, 2000);
    return true;
  });
  assert.deepEqual([failed.requests.length, busy.requests.length], [1, 1]);
});

test('a request is sent again as often as `retries` says', async () => {
  const { berth, requests } = await serve([problem(503, 'unavailable', soon)], { retries: 2 });
  await assert.rejects(berth.GET('/v1/servers'), UnavailableError);
  assert.equal(requests.length, 3);
  const never = await serve([disconnect], { retries: 0 });
  await assert.rejects(never.berth.GET('/v1/servers'), ConnectionFailedError);
  assert.equal(never.requests.length, 1);
});

test('a request fails at once if the service asks for a pause of more than a minute', async () => {
  const reply = problem(429, 'rate_limited', { 'Retry-After': '61' });
  const { berth, requests } = await serve([reply]);
  await assert.rejects(berth.GET('/v1/servers'), (error) => {
    assert.ok(error instanceof RateLimitedError);
    assert.equal(error.retryAfterMs, 61_000);
    return true;
  });
  assert.equal(requests.length, 1);
});

test('a pause of exactly a minute is made', async () => {
  const signal = AbortSignal.abort(new Error('That is enough.'));
  const headers = { 'Retry-After': '60' };
  const send = retrying(async () => new Response(null, { status: 429, headers }), 1);
  // The abort ends the pause. Without one, the response would be returned.
  await assert.rejects(send(new Request('http://berth.example', { signal })), /enough/);
});

test('an abort ends a request without a response, also after memory was freed', async () => {
  const { berth, requests } = await serve([silence]);
  const stopping = new AbortController();
  const failing = assert.rejects(berth.GET('/v1/servers', { signal: stopping.signal }), /enough/);
  await until('the request has arrived', () => requests.length === 1);
  await freeMemory();
  stopping.abort(new Error('That is enough.'));
  await failing;
});

test('an abort ends the pause before the next attempt', async () => {
  const reply = problem(429, 'rate_limited', { 'Retry-After': '59' });
  const { berth, requests } = await serve([reply]);
  const stopping = new AbortController();
  const failing = assert.rejects(berth.GET('/v1/servers', { signal: stopping.signal }), /enough/);
  await until('the request is refused', () => requests.length);
  stopping.abort(new Error('That is enough.'));
  await failing;
  assert.equal(requests.length, 1);
});

test('Retry-After may be a date, which is compared with the clock of the service', () => {
  const headers = (retryAfter: string, date?: string) =>
    new Headers({ 'Retry-After': retryAfter, ...(date && { Date: date }) });
  const noon = 'Mon, 01 Jan 2024 12:00:00 GMT';
  const later = 'Mon, 01 Jan 2024 12:00:07 GMT';
  assert.equal(retryAfterMs(headers(later, noon)), 7000);
  assert.equal(retryAfterMs(headers(noon, later)), 0);
  assert.equal(retryAfterMs(headers(noon)), 0);
  assert.equal(retryAfterMs(headers('12')), 12_000);
  assert.equal(retryAfterMs(headers('soon')), undefined);
  assert.equal(retryAfterMs(new Headers()), undefined);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, problem, type Reply, serve, silence } from '../testing/server.ts';
import {
  EngineUnreachableError,
  OperationCancelledError,
  OperationNotFoundError,
  OperationSupersededError,
  WaitTimeoutError,
  waitForOperation,
} from './index.ts';

const operation = (status: string, progress: number, more = {}) =>
  json({ id: 7, status, progress, message: `At ${progress} %.`, error: null, ...more });

test('an operation is returned when it has succeeded, and each change is reported once', async () => {
  const running = operation('running', 40);
  const replies = [
    ...([operation('pending', 0), running, running] as const),
    operation('succeeded', 100),
  ] as const;
  const { berth, requests } = await serve(replies);
  const seen: string[] = [];
  const ended = await waitForOperation(berth, 7, {
    onProgress: ({ status, message }) => seen.push(`${status}: ${message}`),
  });
  assert.equal(ended.status, 'succeeded');
  assert.deepEqual(seen, ['pending: At 0 %.', 'running: At 40 %.', 'succeeded: At 100 %.']);
  assert.equal(requests.length, 4);
  assert.equal(requests[0]?.url, '/v1/operations/7');
});

test('a failed operation is an error of the class of its code', async () => {
  const error = { code: 'engine_unreachable', detail: 'The node does not answer.' };
  const { berth } = await serve([operation('failed', 40, { error })]);
  await assert.rejects(waitForOperation(berth, 7), (thrown) => {
    assert.ok(thrown instanceof EngineUnreachableError);
    assert.equal(thrown.detail, 'The node does not answer.');
    assert.equal(thrown.operation?.progress, 40);
    assert.equal(thrown.status, undefined);
    return true;
  });
});

test('a superseded operation is an error that says so', async () => {
  const message = 'A delete took its place.';
  const { berth } = await serve([operation('superseded', 40, { message })]);
  await assert.rejects(waitForOperation(berth, 7), (thrown) => {
    assert.ok(thrown instanceof OperationSupersededError);
    assert.equal(thrown.detail, message);
    return true;
  });
});

test('an operation that was cancelled is an error that says so', async () => {
  const message = 'It was cancelled.';
  const { berth } = await serve([operation('cancelled', 0, { message })]);
  await assert.rejects(waitForOperation(berth, 7), (thrown) => {
    assert.ok(thrown instanceof OperationCancelledError);
    assert.equal(thrown.detail, message);
    return true;
  });
});

test('a wait that takes too long says what the operation is doing', async () => {
  const { berth } = await serve([operation('running', 40)]);
  await assert.rejects(waitForOperation(berth, 7, { timeoutMs: 1000 }), (thrown) => {
    assert.ok(thrown instanceof WaitTimeoutError);
    assert.match(thrown.detail, /^Operation 7 has not ended yet, and continues\. At 40 %\.$/);
    return true;
  });
});

test('a wait also ends in time if the service does not answer', async () => {
  const { berth } = await serve([silence]);
  await assert.rejects(waitForOperation(berth, 7, { timeoutMs: 50 }), WaitTimeoutError);
});

test('an abort ends the wait with its reason', async () => {
  const { berth } = await serve([operation('running', 40)]);
  const stopping = new AbortController();
  const onProgress = () => stopping.abort(new Error('That is enough.'));
  const waiting = waitForOperation(berth, 7, { signal: stopping.signal, onProgress });
  await assert.rejects(waiting, /That is enough/);
});

test('an operation that does not exist is an error', async () => {
  const { berth } = await serve([problem(404, 'operation_not_found')]);
  await assert.rejects(waitForOperation(berth, 7), OperationNotFoundError);
});

/** Replies to requests of events and to others. */
const either =
  (ofEvents: Reply, other: Reply): Reply =>
  (response, request) =>
    (request.url.startsWith('/v1/events') ? ofEvents : other)(response, request);

test('with events, an operation is looked at when they say so', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let sendEvent = () => undefined as unknown;
  let looks = 0;
  const beginStream: Reply = (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('retry: 1000\nid: 6\n\n');
    sendEvent = () => response.write('id: 8\nevent: operation.ended\ndata: {}\n\n');
  };
  const look: Reply = (response, request) => {
    looks += 1;
    if (looks === 2) sendEvent();
    const reply = looks < 3 ? operation('running', 40, of42) : operation('succeeded', 100, of42);
    reply(response, request);
  };
  const of42 = { server_id: 42 };
  const { berth, requests } = await serve([either(beginStream, look)]);
  assert.equal((await waitForOperation(berth, 7)).status, 'succeeded');
  const urls = requests.map(({ url }) => url).filter((url) => url.startsWith('/v1/events'));
  assert.deepEqual(urls, ['/v1/events?type=operation.progress,operation.ended&server_id=42']);
});

test('if events are refused, an operation is looked at again and again', async () => {
  let looks = 0;
  const look: Reply = (response, request) => {
    looks += 1;
    operation(looks < 3 ? 'running' : 'succeeded', 40, { server_id: 42 })(response, request);
  };
  const { berth } = await serve([either(problem(403, 'scope_missing'), look)]);
  assert.equal((await waitForOperation(berth, 7)).status, 'succeeded');
});

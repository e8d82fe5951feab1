import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../service/src/testing/until.ts';
import { freeMemory } from '../testing/memory.ts';
import { disconnect, page, problem, type Reply, serve } from '../testing/server.ts';
import { EventsGoneError, events } from './index.ts';

const event = (id: number) => ({ id, type: 'server.started' });
const text = (id: number) =>
  `id: ${id}\nevent: server.started\ndata: ${JSON.stringify(event(id))}\n\n`;

/** Sends the parts of a stream, and loses the connection. */
const stream =
  (...parts: string[]): Reply =>
  async (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const part of parts) await new Promise((resolve) => response.write(part, resolve));
    response.socket?.destroy();
  };

async function take(count: number, of: AsyncIterable<{ id: number }>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of of) {
    ids.push(id);
    if (ids.length === count) break;
  }
  return ids;
}

test('events are read, however their text is divided', async () => {
  const all = `retry: 1000\nid: 6\n\n${text(7)}: heartbeat\nid: 7\n\n${text(8)}`;
  const { berth, requests } = await serve([stream(...all)]);
  const filters = { type: ['server.started' as const, 'server.stopped' as const] };
  assert.deepEqual(await take(2, events(berth, { filters, after: 5 })), [7, 8]);
  const [{ url = '', headers = {} } = {}] = requests;
  assert.equal(url, '/v1/events?type=server.started,server.stopped');
  assert.deepEqual([headers['last-event-id'], headers.accept], ['5', 'text/event-stream']);
});

test('when the connection is lost, it continues after the last event or heartbeat', async () => {
  const { berth, requests } = await serve([
    stream(`retry: 1000\nid: 6\n\n`, text(7)),
    stream(': heartbeat\nid: 9\n\n', 'id: 10\nevent: server.started\ndata: {"id"'),
    stream(text(10)),
  ]);
  assert.deepEqual(await take(2, events(berth)), [7, 10]);
  const positions = requests.map(({ headers }) => headers['last-event-id']);
  assert.deepEqual(positions, [undefined, '7', '9']);
});

test('it connects again however long the service is away', async () => {
  const away = problem(503, 'unavailable');
  const replies = [stream(text(7)), away, disconnect, page(502), stream(text(8))] as const;
  const { berth } = await serve(replies, { retries: 0 });
  assert.deepEqual(await take(2, events(berth)), [7, 8]);
});

test('a refusal is an error of the class of its code', async () => {
  const { berth } = await serve([problem(410, 'events_gone')]);
  await assert.rejects(take(1, events(berth, { after: 5 })), EventsGoneError);
});

test('an abort ends the iteration with its reason', async () => {
  const { berth } = await serve([
    (response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(text(7));
    },
  ]);
  const stopping = new AbortController();
  const reading = async () => {
    for await (const _ of events(berth, { signal: stopping.signal })) {
      stopping.abort(new Error('That is enough.'));
    }
  };
  await assert.rejects(reading(), /That is enough/);
});

test('an abort closes the connection, also after memory was freed', async () => {
  let isClosed = false;
  const { berth } = await serve([
    (response) => {
      response.once('close', () => {
        isClosed = true;
      });
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(text(7));
    },
  ]);
  const stopping = new AbortController();
  const following = events(berth, { signal: stopping.signal });
  await following.next();
  const next = assert.rejects(following.next(), /That is enough/);
  await freeMemory();
  stopping.abort(new Error('That is enough.'));
  await until('the connection is closed', () => isClosed);
  await next;
});

test('leaving the iteration closes the connection, also after memory was freed', async () => {
  const closed = Promise.withResolvers<void>();
  const { berth } = await serve([
    (response) => {
      response.once('close', closed.resolve);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(text(7));
    },
  ]);
  for await (const _ of events(berth)) {
    await freeMemory();
    break;
  }
  await closed.promise;
});

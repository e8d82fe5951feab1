import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { plainShell } from '../edge/settings.ts';
import { createTestToken } from '../testing/app.ts';
import { startEventServices } from '../testing/event-services.ts';
import { type EventSource, openEvents } from '../testing/event-source.ts';
import { createTestProject } from '../testing/people.ts';
import { enterServer } from '../testing/servers.ts';
import { until } from '../testing/until.ts';

const services = await startEventServices();
const { db, place, ends, startService, one, two, token, follow, resumeAfter, setStatus } = services;
const admin = await createTestToken(db);
const other = await createTestProject(db, 'other');

const typesOf = ({ events }: EventSource) => events.map(({ type }) => type);

describe('a stream of events', () => {
  test('it has the events from now on, at each service', async () => {
    const id = await enterServer(db, place);
    const [first, second] = [await follow(one.url), await follow(two.url)];
    await setStatus(id, 'stopped');
    await setStatus(id, 'paused');
    for (const stream of [first, second]) {
      await stream.count(2);
      assert.deepEqual(typesOf(stream), ['server.stopped', 'server.paused']);
    }
    assert.deepEqual(first.events, second.events);
  });

  test('it resumes after the last event at another service, without loss or doubling', async () => {
    const id = await enterServer(db, place);
    const stream = await follow(one.url);
    await setStatus(id, 'stopped');
    await stream.count(1);
    const before = stream.lastId;
    stream.close();
    await setStatus(id, 'paused');
    const resumed = await follow(two.url, resumeAfter(before));
    await setStatus(id, 'started');
    await resumed.count(2);
    assert.deepEqual(typesOf(resumed), ['server.paused', 'server.started']);
  });

  test('it resumes far behind, and gets each event once while others are written', async () => {
    const id = await enterServer(db, place);
    const stream = await follow();
    const from = await until(
      'a position',
      () => stream.lastId,
      (position) => position !== undefined,
    );
    const enter = (count: number) =>
      sql`insert into event_outbox (type, project_id, server_id, data)
        select 'server.started', ${place.projectId}, ${id}, jsonb_build_object('server', jsonb_build_object('nth', nth))
        from generate_series(1, ${count}) nth`.execute(db);
    const rounds = 10;
    await enter(3000);
    await stream.count(3000);
    const late = await follow(two.url, resumeAfter(from));
    for (let round = 0; round < rounds; round += 1) await enter(10);
    await late.count(3000 + rounds * 10);
    await stream.count(3000 + rounds * 10);
    assert.deepEqual(late.events, stream.events);
    const ids = late.events.map((event) => event.id);
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
    );
  });

  test('it filters, and its position goes on with events that are not for it', async () => {
    const [red, plain] = [await enterServer(db, place), await enterServer(db, place)];
    await sql`update servers set labels = '{"team": "red"}' where id = ${red}`.execute(db);
    const byLabel = await follow(`${one.url}?label_selector=team=red&type=server.stopped`);
    const byServer = await follow(`${one.url}?server_id=${plain}`);
    await setStatus(red, 'paused');
    await setStatus(plain, 'stopped');
    await setStatus(red, 'stopped');
    await byLabel.count(1);
    await byServer.count(1);
    assert.deepEqual(
      byLabel.events.map(({ server_id }) => server_id),
      [red],
    );
    assert.deepEqual(
      byServer.events.map(({ server_id }) => server_id),
      [plain],
    );
    await setStatus(red, 'started');
    const all = await follow(one.url, { ...token.headers });
    await until(
      'the heartbeat has the position',
      () => byServer.lastId,
      (id = 0) => id >= (all.lastId ?? Number.POSITIVE_INFINITY),
    );
    assert.equal(byServer.events.length, 1);
    assert.ok(byServer.comments.includes(': heartbeat'));
  });

  test('others do not get the events of a project, and administrators get all, with those of nodes', async () => {
    const stranger = await createTestToken(db, { scopes: ['servers:read'], project: 'other' });
    const foreign = await follow(one.url, stranger.headers);
    const all = await follow(one.url, admin.headers);
    await enterServer(db, place);
    await sql`update nodes set status = 'offline' where id = ${place.nodeId}`.execute(db);
    await sql`update nodes set status = 'online' where id = ${place.nodeId}`.execute(db);
    await enterServer(db, { ...place, projectId: other });
    await foreign.count(2);
    await all.count(6);
    assert.deepEqual(new Set(foreign.events.map(({ project_id }) => project_id)), new Set([other]));
    assert.deepEqual(typesOf(all).slice(2, 4), ['node.offline', 'node.online']);
  });

  test('a filter or a position that is not valid is refused', async () => {
    const refused = async (query: string, headers = {}) => {
      const stream = openEvents(one.url + query, { ...token.headers, ...headers });
      return await stream.begun.catch((error: Error) => error.message);
    };
    assert.match(String(await refused('?type=server.exploded')), /422.*type/);
    assert.match(String(await refused('?limit=5')), /422.*Applies only to a list/);
    assert.match(String(await refused('', { 'last-event-id': 'x' })), /400.*Last-Event-ID/);
    assert.match(String(await refused('', { 'last-event-id': '999999999' })), /410.*events_gone/);
    assert.match(String(await refused(`?project_id=${other}`)), /422.*project_id/);
  });

  test('a caller can have a tenth of all streams', async () => {
    const few = await startService({ shell: { ...plainShell, maxEventStreams: 20 } });
    const { url } = few;
    const [first] = [await follow(url), await follow(url)];
    await assert.rejects(
      openEvents(url, token.headers).begun,
      /429.*2 streams of events are open for this token/,
    );
    first.close();
    await until('a place is free', () => follow(url).then(Boolean, () => false));
    await few.stop();
  });

  test('it ends when its service stops, which does not wait for it', async () => {
    const three = await startService();
    const stream = await follow(three.url);
    await three.stop();
    await stream.ended;
    assert.equal(ends.at(-1), 'stopping');
  });
});

test('who asks for JSON, or pages, gets a list, and everybody else a stream', async () => {
  const typeOf = async (query: string, accept?: string) => {
    const closing = new AbortController();
    const headers = { ...token.headers, ...(accept && { accept }) };
    const response = await fetch(one.url + query, { headers, signal: closing.signal });
    const type = response.headers.get('content-type');
    closing.abort();
    return type?.split(';')[0];
  };
  const [list, stream] = ['application/json', 'text/event-stream'];
  assert.equal(await typeOf(''), stream);
  assert.equal(await typeOf('', '*/*'), stream);
  assert.equal(await typeOf('?type=server.started'), stream);
  assert.equal(await typeOf('', list), list);
  assert.equal(await typeOf('', 'application/json, text/plain, */*'), list);
  assert.equal(await typeOf('?after=0'), list);
  assert.equal(await typeOf('?limit=1', '*/*'), list);
  assert.equal(await typeOf('?after=0', stream), stream);
  assert.equal(await typeOf('', 'text/html'), 'application/problem+json');
});

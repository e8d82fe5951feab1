import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Event } from '@berth/contract/events';
import { sql } from 'kysely';
import { createDb, createPool } from '../db/connection.ts';
import { deleteOldEvents } from '../retention/event-queries.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { recordStatements } from '../testing/explain.ts';
import { installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { amid } from '../testing/locks.ts';
import { createTestProject } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { eventsAtOnce, moveEvents } from './feed-queries.ts';
import { idsInSpan } from './queries.ts';
import { eventRoutes } from './routes.ts';

const { db, pool, connectionString, close } = await createTestDatabase();
after(close);
const recorded = recordStatements(pool);
const place = await installation(db);
const app = await createTestApp(db, [eventRoutes]);
after(() => app.close());
const { headers } = await createTestToken(db, { scopes: ['servers:read'] });
const admin = (await createTestToken(db)).headers;
const other = await createTestProject(db, 'other');
const stranger = await createTestToken(db, { scopes: ['servers:read'], project: 'other' });

async function list(query = 'after=0', of: object = headers): Promise<Event[]> {
  const answer = await inject(app, { url: `/v1/events?${query}`, headers: { ...of } });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json();
}

const refusal = async (query: string, of: object = headers) =>
  (await inject(app, { url: `/v1/events?${query}`, headers: { ...of } })).json();

const lastId = async () => (await list('after=0', admin)).at(-1)?.id ?? 0;
const typesOf = (events: Event[]) => events.map(({ type }) => type);
const setStatus = (id: number, status: string, on = db) =>
  sql`update servers set status = ${status} where id = ${id}`.execute(on);

describe('the list of events', () => {
  test('it has the events of a change once the change is committed, and none of one that is rolled back', async () => {
    const since = await lastId();
    const id = await enterServer(db, place, { operation: 'stop' });
    const [created, , operation] = await list(`after=${since}`);
    assert.deepEqual(typesOf(await list(`after=${since}`)), [
      'server.created',
      'server.started',
      'operation.created',
    ]);
    assert.equal(created?.server_id, id);
    assert.equal(operation?.server_id, id);
    const trx = await db.startTransaction().execute();
    await sql`update servers set status = 'stopped' where id = ${id}`.execute(trx);
    await trx.rollback().execute();
    assert.equal((await list(`after=${since}`)).length, 3);
  });

  test('it is read from after an event on, in pages whose next page begins there', async () => {
    const since = await lastId();
    const id = await enterServer(db, place);
    for (const status of ['stopped', 'started', 'paused']) await setStatus(id, status);
    const all = await list(`after=${since}`);
    assert.equal(all.length, 5);
    assert.deepEqual(await list(`after=${all[2]?.id}`), all.slice(3));
    const url = `/v1/events?after=${since}&limit=2`;
    const first = await inject(app, { url, headers });
    assert.deepEqual(first.json(), all.slice(0, 2));
    const next = /^<([^>]+)>; rel="next"$/.exec(String(first.headers.link))?.[1] ?? '';
    assert.deepEqual((await inject(app, { url: next, headers })).json(), all.slice(2, 4));
  });

  test('a list says where to go on, even if it is empty, and however far apart its events are', async () => {
    const positionOf = async (query: string) =>
      Number((await inject(app, { url: `/v1/events?${query}`, headers })).headers['last-event-id']);
    const since = await lastId();
    assert.equal(await positionOf(`after=${since}&type=usage.allowance_reached`), since);
    const [near, far] = [await enterServer(db, place), await enterServer(db, place)];
    await setStatus(near, 'paused');
    await lastId();
    await sql`select setval(pg_get_serial_sequence('events', 'id'), ${since + 3 * idsInSpan})`.execute(
      db,
    );
    await setStatus(far, 'paused');
    const filter = `after=${since}&type=server.paused`;
    const servers = (await list(filter)).map(({ server_id }) => server_id);
    assert.deepEqual(servers, [near, far]);
    assert.equal((await list(`${filter}&limit=1`)).length, 1);
    assert.ok((await positionOf(filter)) > since + 3 * idsInSpan);
    const counted = { ...headers, prefer: 'count=exact' };
    const answer = await inject(app, { url: `/v1/events?${filter}&limit=1`, headers: counted });
    assert.equal(answer.headers['total-count'], '2');
  });

  test('an event whose transaction commits late comes after those that were already listed', async () => {
    const [early, late] = [await enterServer(db, place), await enterServer(db, place)];
    const since = await lastId();
    const trx = await db.startTransaction().execute();
    await sql`update servers set status = 'stopped' where id = ${late}`.execute(trx);
    await setStatus(early, 'paused');
    const [seen, ...none] = await list(`after=${since}`);
    assert.deepEqual([seen?.type, none], ['server.paused', []]);
    await trx.commit().execute();
    assert.deepEqual(typesOf(await list(`after=${seen?.id}`)), ['server.stopped']);
  });

  test('it filters by type, by server and by the labels that the server had', async () => {
    const since = await lastId();
    const [red, plain] = [await enterServer(db, place), await enterServer(db, place)];
    await sql`update servers set labels = '{"team": "red", "size": "7"}' where id = ${red}`.execute(
      db,
    );
    await setStatus(red, 'stopped');
    await sql`update servers set labels = '{}' where id = ${red}`.execute(db);
    await setStatus(red, 'started');
    await setStatus(plain, 'stopped');
    const of = async (query: string) => typesOf(await list(`after=${since}&${query}`));
    assert.deepEqual(await of('type=server.stopped'), ['server.stopped', 'server.stopped']);
    assert.deepEqual(await of(`server_id=${plain}&type=server.stopped,server.started`), [
      'server.started',
      'server.stopped',
    ]);
    assert.deepEqual(await of('label_selector=team=red'), ['server.updated', 'server.stopped']);
    assert.deepEqual(await of('label_selector=size>6,team in (red,blue)'), [
      'server.updated',
      'server.stopped',
    ]);
    assert.equal((await of('label_selector=!team')).length, 7);
    assert.equal((await refusal('after=0&label_selector=a b')).code, 'validation_failed');
    assert.equal((await refusal('after=0&type=server.exploded')).code, 'validation_failed');
  });

  test('callers get the events of their own project, and administrators all, with those of nodes', async () => {
    const since = await lastId();
    await enterServer(db, place);
    await enterServer(db, { ...place, projectId: other });
    await sql`update nodes set status = 'offline' where id = ${place.nodeId}`.execute(db);
    await sql`update nodes set status = 'online' where id = ${place.nodeId}`.execute(db);
    const projects = async (of: object, query = '') =>
      (await list(`after=${since}${query}`, of)).map(({ project_id }) => project_id);
    assert.deepEqual(await projects(headers), [place.projectId, place.projectId]);
    assert.deepEqual(await projects(stranger.headers), [other, other]);
    assert.deepEqual(await projects(admin), [
      ...[place.projectId, place.projectId, other, other],
      ...[null, null],
    ]);
    assert.deepEqual(await projects(admin, `&project_id=${other}`), [other, other]);
    const named = { ...admin, 'berth-project': String(other) };
    assert.deepEqual(await projects(named), [other, other]);
    assert.deepEqual(await projects(headers, '&type=node.offline,node.online'), []);
    assert.equal(
      (await refusal(`after=0&project_id=${other}`)).code,
      'validation_failed',
      'another project is refused',
    );
  });

  test('a list waits for events that are being moved, and moves nothing if the outbox is empty', async () => {
    const since = await lastId();
    const id = await enterServer(db, place);
    const begun = await amid(
      db,
      (trx) => moveEvents(trx, 'inTurn'),
      () => list(`after=${since}`),
    );
    assert.deepEqual(typesOf(begun), ['server.created', 'server.started']);
    recorded.length = 0;
    assert.deepEqual(await list(`after=${since}`), begun);
    assert.deepEqual(
      recorded.filter(({ text }) => text.includes('advisory')),
      [],
    );
    await setStatus(id, 'paused');
    assert.equal((await list(`after=${since}`)).length, 3);
  });

  test('two queries read a page of 100 events of half a kilobyte', async () => {
    const id = await enterServer(db, place);
    const labels = JSON.stringify({ team: 'x'.repeat(200) });
    await sql`update servers set labels = ${labels}::jsonb where id = ${id}`.execute(db);
    for (let at = 0; at < 100; at += 1) await setStatus(id, at % 2 ? 'started' : 'stopped');
    const since = (await lastId()) - 100;
    recorded.length = 0;
    assert.equal((await list(`after=${since}&limit=100`)).length, 100);
    const ofEvents = recorded.filter(({ text }) => text.includes('from "events"'));
    assert.equal(ofEvents.length, 2);
  });

  test('more events than are moved at once are all moved', async () => {
    await enterServer(db, place);
    const since = await lastId();
    const count = 2 * eventsAtOnce + 1;
    await sql`
      insert into event_outbox (type, project_id, server_id, data)
      select type, project_id, server_id, data from events, generate_series(1, ${count})
      where events.id = ${since}`.execute(db);
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from event_outbox`.execute(db);
    assert.equal(rows[0]?.count, count);
    await inject(app, { url: '/v1/events?after=0&limit=1', headers });
    const found = await sql<{ count: number }>`
      select count(*) as count from events where id > ${since}`.execute(db);
    assert.equal(found.rows[0]?.count, count);
    await sql`delete from events where id > ${since}`.execute(db);
  });
});

test('services that move events at the same time lose and double none, and keep the order of each server', async () => {
  const servers = await Promise.all(Array.from({ length: 6 }, () => enterServer(db, place)));
  const since = await lastId();
  const pools = [1, 2, 3].map(() => createPool(connectionString, { max: 8 }));
  const dbs = pools.map((pool) => createDb(pool));
  let isWriting = true;
  const seen: Event[] = [];
  const reading = (async () => {
    while (isWriting) seen.push(...(await list(`after=${seen.at(-1)?.id ?? since}`)));
  })();
  const moving = dbs.map(async (own) => {
    while (isWriting) await moveEvents(own, 'ifFree');
  });
  const rounds = 30;
  await Promise.all(
    servers.map(async (id, nth) => {
      for (let round = 0; round < rounds; round += 1) {
        // The transaction has an id before it writes the event, and may commit much later than others.
        const trx = await (dbs[nth % 3] ?? db).startTransaction().execute();
        await sql`insert into label_sets (project_id, summary) values (${place.projectId}, ${JSON.stringify({ at: `${id} ${round}` })})`.execute(
          trx,
        );
        await sql`update servers set notes = ${`round ${round}`}, status = ${round % 2 ? 'started' : 'stopped'} where id = ${id}`.execute(
          trx,
        );
        await trx.commit().execute();
      }
    }),
  );
  isWriting = false;
  await Promise.all([reading, ...moving]);
  await list();
  seen.push(...(await list(`after=${seen.at(-1)?.id ?? since}`)));
  await Promise.all(dbs.map((own) => own.destroy()));
  for (const id of servers) {
    const own = seen.filter(({ server_id }) => server_id === id);
    const expected = Array.from({ length: rounds }, (_, round) => [
      round % 2 ? 'server.started' : 'server.stopped',
      'server.updated',
    ]).flat();
    assert.deepEqual(typesOf(own), expected);
  }
  const ids = seen.map(({ id }) => id);
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
  );
  assert.equal(ids.length, servers.length * rounds * 2);
});

test('old events are removed, and a reader who would miss some is told so', async () => {
  await enterServer(db, place);
  const all = await list();
  const [first, second] = all;
  assert.ok(first && second);
  await sql`update events set at = now() - interval '31 days' where id <= ${second.id}`.execute(db);
  const before = new Date(Date.now() - 30 * 86_400_000);
  assert.ok((await deleteOldEvents(db, before)) >= 2);
  assert.equal(await deleteOldEvents(db, before), 0);
  const kept = await list();
  assert.ok(kept[0] && kept[0].id > second.id);
  assert.deepEqual(await list(`after=${second.id}`), kept);
  const gone = await refusal(`after=${first.id}`);
  assert.deepEqual([gone.status, gone.code], [410, 'events_gone']);
  const future = await refusal(`after=${(await lastId()) + 100}`);
  assert.equal(future.code, 'events_gone');
  // Nothing is left, and yet the position is known.
  await sql`update events set at = now() - interval '31 days'`.execute(db);
  const last = await lastId();
  while ((await deleteOldEvents(db, before)) > 0);
  assert.deepEqual(await list(`after=${last}`), []);
  assert.equal((await refusal(`after=${last - 1}`)).code, 'events_gone');
});

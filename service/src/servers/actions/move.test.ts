import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createTestToken } from '../../testing/app.ts';
import { enterServer } from '../../testing/servers.ts';
import { createWholeApp } from '../../testing/whole-app.ts';

const { db, place, ask, close } = await createWholeApp();
after(close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });
await sql`update nodes set member = name`.execute(db);
await sql`insert into nodes (location_id, name, member, status, cpu, ram_mb, disk_gb) values
  (${place.locationId}, 'near', 'near', 'online', 4, 4096, 100),
  (${place.locationId}, 'small', 'small', 'online', 4, 128, 100),
  (${place.locationId}, 'away', 'away', 'offline', 4, 4096, 100)`.execute(db);
await sql`
  with elsewhere as (
    insert into locations (name, description, engine, incus_project, storage_pool, network,
                           max_cpu, max_ram_mb, max_disk_gb)
    values ('second', '', '{}', '', '', '', 1, 1, 1) returning id
  )
  insert into nodes (location_id, name, member, status, cpu, ram_mb)
  select id, 'far', 'far', 'online', 8, 4096 from elsewhere`.execute(db);

const move = (id: number, body: object = {}) =>
  ask('POST', `/servers/${id}/move`, { ...admin, body });
const setNode = (name: string, values: object) =>
  db.updateTable('nodes').set(values).where('name', '=', name).execute();

test('a move goes to the requested node, or to the best one', async () => {
  const wanted = await move(await enterServer(db, place), { node: 'near' });
  assert.equal(wanted.statusCode, 202, wanted.body);
  const shown = async (id: number) => (await ask('GET', `/operations/${id}`, admin)).json();
  const { operation_id: id } = wanted.json();
  assert.deepEqual([(await shown(id)).kind, (await shown(id)).placement], ['move', null]);
  const chosen = await move(await enterServer(db, place));
  assert.equal(chosen.statusCode, 202, chosen.body);
  const { placement } = await shown(chosen.json().operation_id);
  assert.equal(placement.node, 'near');
  assert.deepEqual(placement.excluded, { current: 1, offline: 1, ram: 1 });
});

test('a server that can not be moved gets the reason', async () => {
  const id = await enterServer(db, place);
  const cases: [body: object, status: number, code: string, words: RegExp][] = [
    [{ node: 'node-1' }, 409, 'server_on_node', /already on the node node-1/],
    [{ node: 'small' }, 409, 'no_capacity', /small can't take the server: it lacks memory/],
    [{ node: 'away' }, 409, 'no_capacity', /it is offline/],
    [{ node: 'far' }, 422, 'validation_failed', /Must be the name of a node at the location/],
    [{ node: 'none' }, 422, 'validation_failed', /Must be the name of a node at the location/],
    [{ node: 7 }, 422, 'validation_failed', /Must be a string, not a number/],
  ];
  for (const [body, status, code, words] of cases) {
    const answer = await move(id, body);
    assert.deepEqual([answer.statusCode, answer.json().code], [status, code], answer.body);
    assert.match(answer.json().detail, words);
  }
  assert.deepEqual((await move(id, { node: 'small' })).json().lacking, ['ram']);
  const untouched = await db
    .selectFrom('servers')
    .select('moving_to')
    .where('id', '=', id)
    .execute();
  assert.deepEqual(untouched, [{ moving_to: null }]);
});

test('a server for which a larger size is still reserved gets room for that, too', async () => {
  const id = await enterServer(db, place);
  const reserve = (resizing_ram_mb: number | null) =>
    db.updateTable('servers').set({ resizing_ram_mb }).where('id', '=', id).execute();
  await reserve(1_000_000);
  const refused = await move(id, { node: 'near' });
  assert.deepEqual([refused.statusCode, refused.json().lacking], [409, ['ram']]);
  await reserve(null);
  assert.equal((await move(id, { node: 'near' })).statusCode, 202);
});

test('only a started or stopped server, without an operation and on a reachable node, is moved', async () => {
  for (const status of ['paused', 'error'] as const) {
    const answer = await move(await enterServer(db, place, { status }));
    assert.deepEqual([answer.statusCode, answer.json().code], [409, 'server_not_movable']);
  }
  const busy = await move(await enterServer(db, place, { status: 'stopped', operation: 'start' }));
  assert.deepEqual([busy.statusCode, busy.json().code], [409, 'operation_in_progress']);
  const id = await enterServer(db, place, { status: 'stopped' });
  await setNode('node-1', { status: 'offline' });
  const offline = await move(id);
  assert.deepEqual([offline.statusCode, offline.json().code], [409, 'node_offline']);
  await setNode('node-1', { status: 'online', member: null });
  await setNode('near', { member: null });
  // This reason comes first, because changing anything else would not help.
  for (const body of [{ node: 'near' }, { node: 'node-1' }, {}]) {
    const single = await move(id, body);
    assert.deepEqual([single.statusCode, single.json().code], [409, 'not_clustered']);
  }
});

test('concurrent moves do not give any node more than it has', async () => {
  await setNode('near', { member: 'near', ram_mb: 1024 + 256 * 2 });
  await setNode('node-1', { member: 'node-1' });
  const ids = await Promise.all(Array.from({ length: 12 }, () => enterServer(db, place)));
  const answers = await Promise.all(ids.map((id) => move(id, { node: 'near' })));
  const node = await db
    .selectFrom('nodes')
    .selectAll()
    .where('name', '=', 'near')
    .executeTakeFirstOrThrow();
  assert.ok(node.allocated_ram_mb <= node.ram_mb);
  assert.equal(node.allocated_ram_mb, node.ram_mb);
  assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([202, 409]));
});

test('only administrators can move servers, and moves are not offered to clients', async () => {
  const id = await enterServer(db, place);
  assert.equal((await ask('POST', `/servers/${id}/move`)).statusCode, 403);
  const { allowed_actions } = (await ask('GET', `/servers/${id}`, admin)).json();
  assert.ok(!allowed_actions.includes('move'));
});

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { sql } from 'kysely';
import { setReachability } from '../locations/queries.ts';
import { createTestToken } from '../testing/app.ts';
import { enterServer } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';
import { knownHoles } from './known-holes.ts';

const whole = await createWholeApp();
const { db, place } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });
const ask = (path: string) => whole.ask('GET', `/nodes${path}`, admin);
const namesOf = (answer: { json(): { name: string }[] }) => answer.json().map(({ name }) => name);
const setNode = (name: string, values: object) =>
  db.updateTable('nodes').set(values).where('name', '=', name).execute();

let elsewhere: number;

before(async () => {
  const { rows } = await sql<{ id: number }>`
    insert into locations (name, description, engine, incus_project, storage_pool, network,
                           max_cpu, max_ram_mb, max_disk_gb, reachable, watched_at)
    values ('second', '', '{}', '', '', '', 1, 1, 1, true, now() + interval '1 day')
    returning id`.execute(db);
  elsewhere = Number(rows[0]?.id);
  await sql`insert into nodes (location_id, name, status, cpu, ram_mb) values
    (${place.locationId}, 'a', 'online', 8, 4096), (${place.locationId}, 'b', 'online', 8, 4096),
    (${elsewhere}, 'a', 'online', 2, 512)`.execute(db);
});

it('a node shows its capacity, what is allocated, and what is used', async () => {
  const onIt = await enterServer(db, { ...place, nodeId: place.nodeId });
  await sql`insert into usage_current (server_id, read_at, cpu_seconds, cpu_percent, ram_mb)
    values (${onIt}, now(), 1, 37.5, 100)`.execute(db);
  await setNode('node-1', { ram_used_mb: 700, disk_used_gb: 3.138, incus_version: '6.0.4' });
  const answer = await ask('/node-1');
  assert.equal(answer.statusCode, 200, answer.body);
  const { updated_at: _, status_since: __, ...node } = answer.json();
  assert.deepEqual(node, {
    id: place.nodeId,
    name: 'node-1',
    location_id: place.locationId,
    location: 'test',
    status: 'online',
    state: 'online',
    slow_since: null,
    cordoned: false,
    failure_domain: 'default',
    incus_version: '6.0.4',
    warnings: knownHoles('6.0.4'),
    traffic_limits: { incoming: true, outgoing: true },
    capacity: { cpu: 4, ram: 1024 * 1024, disk: 1000 },
    allocatable: { cpu: 4000, ram: 1048576, disk: 1000000 },
    allocated: { cpu: 1, ram: 256, disk: 2 },
    used: { cpu: 0.38, ram: 700, disk: 3.14 },
    servers: 1,
  });
});

it('a node shows which traffic its kernel cannot limit', async () => {
  const set = (limits_outgoing: boolean | null) =>
    db.updateTable('nodes').set({ limits_outgoing }).where('id', '=', place.nodeId).execute();
  const shown = async () =>
    (await ask(`/node-1?location_id=${place.locationId}`)).json() as Record<string, string[]>;
  await set(false);
  const { warnings, traffic_limits } = await shown();
  assert.deepEqual(traffic_limits, { incoming: true, outgoing: false });
  assert.ok(warnings?.some((text) => /cannot limit what servers send.*act_police/.test(text)));
  await set(true);
  assert.deepEqual((await shown()).warnings, knownHoles('6.0.4'));
});

it('the allocated resources follow each change and move of a server', async () => {
  const held = async (name: string) => {
    const { servers, allocated } = (await ask(`/${name}?location_id=${place.locationId}`)).json();
    return [servers, allocated.cpu, allocated.ram, allocated.disk];
  };
  const id = await enterServer(db, place);
  const b = (await ask('/b')).json().id;
  const set = (values: object) =>
    db.updateTable('servers').set(values).where('id', '=', id).execute();
  assert.deepEqual(await held('node-1'), [2, 2, 512, 4]);
  await set({ node_id: b, cpu: 3, ram_mb: 512, disk_gb: 10 });
  assert.deepEqual(await held('node-1'), [1, 1, 256, 2]);
  assert.deepEqual(await held('b'), [1, 3, 512, 10]);
  await set({ cpu: 4, status: 'stopped' });
  assert.deepEqual(await held('b'), [1, 4, 512, 10]);
  await set({ deleted_at: new Date() });
  assert.deepEqual(await held('b'), [0, 0, 0, 0]);
  await set({ node_id: place.nodeId });
  await db.deleteFrom('server_spans').where('server_id', '=', id).execute();
  await db.deleteFrom('servers').where('id', '=', id).execute();
  assert.deepEqual(await held('node-1'), [1, 1, 256, 2]);
});

it('nodes are listed by id, in pages, and by location', async () => {
  assert.deepEqual(namesOf(await ask('')), ['node-1', 'a', 'b', 'a']);
  const first = await ask('?limit=3');
  assert.deepEqual(namesOf(first), ['node-1', 'a', 'b']);
  const next = /<\/v1\/nodes(.*)>/.exec(String(first.headers.link))?.[1] ?? '';
  assert.deepEqual(namesOf(await ask(next)), ['a']);
  assert.deepEqual(namesOf(await ask(`?location_id=${elsewhere}`)), ['a']);
});

it('a node is found by its name in any case, and by the exact name if several differ in case', async () => {
  assert.equal((await ask('/NODE-1')).json().id, place.nodeId);
  const { id: lower } = (await ask('/B')).json();
  const { rows } = await sql<{ id: number }>`
    insert into nodes (location_id, name, status, cpu, ram_mb)
    values (${place.locationId}, 'B', 'online', 8, 4096) returning id`.execute(db);
  assert.equal((await ask('/b')).json().id, lower);
  assert.equal((await ask('/B')).json().id, rows[0]?.id);
  await db
    .deleteFrom('nodes')
    .where('id', '=', rows[0]?.id ?? 0)
    .execute();
});

it('a name that two locations have requires the location', async () => {
  const both = await ask('/a');
  assert.deepEqual([both.statusCode, both.json().code], [409, 'ambiguous_name']);
  assert.deepEqual(
    both.json().candidates.map((node: { name: string; location: string }) => node.location),
    ['test', 'second'],
  );
  assert.equal((await ask('/a?location_id=second')).json().capacity.cpu, 2);
  assert.equal((await ask(`/a?location_id=${elsewhere}`)).json().capacity.cpu, 2);
  for (const path of [`/b?location_id=${elsewhere}`, '/none', `/${'x'.repeat(80)}`, '/%00']) {
    const answer = await ask(path);
    assert.deepEqual([answer.statusCode, answer.json().code], [404, 'node_not_found'], path);
    assert.ok(answer.json().detail.length < 100);
  }
});

it('a node has the most severe status that applies', async () => {
  const statuses: [object, string][] = [
    [{ cordoned: true }, 'cordoned'],
    [{ evacuated: true }, 'evacuated'],
    [{ status: 'offline' }, 'offline'],
    [{ gone: true }, 'gone'],
    [{ lost: true }, 'lost'],
  ];
  await enterServer(db, { ...place, nodeId: (await ask('/b')).json().id });
  for (const [values, status] of statuses) {
    await setNode('b', values);
    const shown = (await ask('/b')).json();
    // `state` is the older name of `status`.
    assert.deepEqual([shown.status, shown.state], [status, status]);
    for (const name of ['status', 'state']) {
      assert.deepEqual(namesOf(await ask(`?${name}=${status}`)), ['b']);
    }
  }
  assert.deepEqual(namesOf(await ask('?status=online')), ['node-1', 'a', 'a']);
  assert.deepEqual(namesOf(await ask('?status=online&state=lost')), []);
  assert.equal((await ask('?status=broken')).statusCode, 422);
});

it('a node that is gone is shown as long as it has servers', async () => {
  await setNode('b', { gone: true });
  assert.equal((await ask('/b')).json().servers, 1);
  await sql`update servers set deleted_at = now()
    where node_id = (select id from nodes where name = 'b')`.execute(db);
  assert.equal((await ask('/b')).statusCode, 404);
  assert.deepEqual(namesOf(await ask('')), ['node-1', 'a', 'a']);
});

it('a node is offline while its location is unreachable', async () => {
  await setReachability(db, elsewhere, 'The connection was closed.');
  assert.equal((await ask(`/a?location_id=${elsewhere}`)).json().status, 'offline');
});

it('a node cannot be declared lost while its location is unreachable', async () => {
  await setNode('a', { member: 'a' });
  const path = `/nodes/a/declare-lost?location_id=${elsewhere}`;
  const refused = (await whole.ask('POST', path, { ...admin, body: { confirm: 'a' } })).json();
  assert.deepEqual([refused.status, refused.code], [409, 'location_unreachable']);
});

it('only administrators can read nodes', async () => {
  assert.equal((await whole.ask('GET', '/nodes')).statusCode, 403);
});

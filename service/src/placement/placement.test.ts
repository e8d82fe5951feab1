import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, it } from 'node:test';
import { sql } from 'kysely';
import { Project } from '../db/project.ts';
import { Problem } from '../problems/problem.ts';
import { insertServer } from '../servers/queries.ts';
import { createTestToken } from '../testing/app.ts';
import { operationUnderWay } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';
import { placeServer } from './placement.ts';

interface Entered {
  name: string;
  domain?: string;
  cpu?: number;
  ram?: number;
  disk?: number;
}

/** A location with these nodes, which replace that of the fixtures. */
async function world(nodes: Entered[], overcommit = { cpu: 16, ram: 1, disk: 4 }) {
  const whole = await createWholeApp();
  after(whole.close);
  const { db, place } = whole;
  await db
    .updateTable('locations')
    .set({
      overcommit_cpu: overcommit.cpu,
      overcommit_ram: overcommit.ram,
      overcommit_disk: overcommit.disk,
    })
    .execute();
  await db.deleteFrom('nodes').execute();
  for (const { name, domain = 'default', cpu = 4, ram = 4096, disk = 100 } of nodes) {
    const size = { cpu, ram_mb: ram, disk_gb: disk, failure_domain: domain };
    const node = { location_id: place.locationId, name, status: 'online' as const, ...size };
    await db.insertInto('nodes').values(node).execute();
  }
  const admin = await createTestToken(db, { scopes: ['admin'] });
  const setNode = (name: string, values: object) =>
    db.updateTable('nodes').set(values).where('name', '=', name).execute();
  const nodeOf = async (more: object) => {
    const answer = await whole.create(more);
    assert.equal(answer.statusCode, 201, answer.body);
    return answer.json().node;
  };
  return { ...whole, admin: admin.headers, setNode, nodeOf };
}

it('a server goes to the node with the most free resources, and its operation says why', async () => {
  const { nodeOf, create, ask, db, admin, setNode } = await world([
    { name: 'a' },
    { name: 'b', ram: 8192 },
    { name: 'c' },
    { name: 'd' },
    { name: 'e' },
    { name: 'down' },
    { name: 'small', ram: 256 },
  ]);
  await setNode('down', { status: 'offline' });
  assert.equal(await nodeOf({ ram: 4352 }), 'b');
  const { id, node } = (await create({ ram: 512 })).json();
  assert.equal(node, 'a');
  const operation = await operationUnderWay(db, id);
  const shown = async (headers: object) =>
    (await ask('GET', `/operations/${operation.id}`, { ...headers })).json().placement;
  const placement = await shown(admin);
  const { reason, others, ...rest } = placement;
  assert.deepEqual(rest, { node: 'a', nodes: 7, excluded: { offline: 1, ram: 1 } });
  // Free resources would reveal what others use.
  assert.equal(reason, 'The best of 5 nodes with room.');
  assert.deepEqual(others, [
    { node: 'c', reason: 'as much free, and known for less long' },
    { node: 'd', reason: 'as much free, and known for less long' },
    { node: 'e', reason: 'as much free, and known for less long' },
  ]);
  assert.deepEqual(await shown({}), { ...placement, others: null });
  const [listed] = (await ask('GET', '/operations?sort=-id&limit=1')).json();
  assert.equal(listed.placement.node, 'a');
});

it('servers of a group are spread over failure domains, and then over nodes', async () => {
  const { nodeOf, ask, create } = await world([
    { name: 'a1', domain: 'rack-a', ram: 8192 },
    { name: 'a2', domain: 'rack-a', ram: 8192 },
    { name: 'b1', domain: 'rack-b' },
    { name: 'b2', domain: 'rack-b' },
  ]);
  const placed = [];
  for (let n = 0; n < 5; n += 1) placed.push(await nodeOf({ group: 'database' }));
  assert.deepEqual(placed, ['a1', 'b1', 'a2', 'b2', 'a1']);
  // For another group, and without a group, only the free capacity matters.
  assert.equal(await nodeOf({ group: 'web' }), 'a2');
  const { id, group } = (await create({ group: 'web' })).json();
  assert.equal(group, 'web');
  assert.equal((await ask('GET', `/servers/${id}`)).json().group, 'web');
  const groupsOf = async (query: string) =>
    (await ask('GET', `/servers${query}`)).json().map((server: { group: string }) => server.group);
  assert.deepEqual(await groupsOf('?group=web'), ['web', 'web']);
  assert.deepEqual(await groupsOf('?group=none'), []);
});

it('without capacity it is refused with what is lacking, and nothing is reserved', async () => {
  const { create, setNode, ask, admin } = await world(
    [{ name: 'a', ram: 512 }, { name: 'b', disk: 5 }, { name: 'c' }, { name: 'd' }],
    { cpu: 1, ram: 1, disk: 1 },
  );
  await setNode('c', { evacuated: true });
  await setNode('d', { allocated_cpu: 4 });
  const before = (await ask('GET', '/nodes', admin)).json();
  const answer = await create({ ram: 1024, disk: 10 });
  assert.equal(answer.statusCode, 409);
  const { code, detail, lacking, nodes, excluded } = answer.json();
  assert.deepEqual([code, nodes, lacking], ['no_capacity', 4, ['ram', 'disk', 'cpu']]);
  assert.deepEqual(excluded, { evacuated: 1, ram: 1, disk: 1, cpu: 1 });
  assert.equal(
    detail,
    'No node has room for 1 core, 1024 MiB, 10 GiB: 1 of 4 nodes is evacuated, 1 lacks memory, ' +
      '1 lacks disk, 1 lacks cores. The largest node has 4 cores, 4096 MiB and 100 GiB in all, ' +
      'including what its servers already have. Ask for less, or choose another location.',
  );
  for (const name of ['a', 'b', 'd']) await setNode(name, { status: 'offline' });
  const none = (await create()).json();
  assert.deepEqual([none.code, none.lacking], ['no_capacity', []]);
  assert.match(none.detail, /takes servers: 3 of 4 nodes are offline, 1 is evacuated\. /);
  for (const name of ['a', 'b', 'd']) await setNode(name, { status: 'online' });
  const allocations = (list: { allocated: object }[]) => list.map(({ allocated }) => allocated);
  const now = (await ask('GET', '/nodes', admin)).json();
  assert.deepEqual(allocations(now), allocations(before));
});

it('an administrator sets how many times the resources of a location are allocated', async () => {
  const { create, ask, admin, place } = await world([{ name: 'a', ram: 512 }]);
  const path = `/locations/${place.locationId}`;
  const change = (overcommit: object) => ask('PATCH', path, { body: { overcommit }, ...admin });
  assert.equal((await create({ ram: 512 })).statusCode, 201);
  assert.equal((await create({ ram: 256 })).json().code, 'no_capacity');
  assert.deepEqual((await change({ ram: 1.5 })).json().overcommit, { cpu: 16, ram: 1.5, disk: 4 });
  assert.equal((await create({ ram: 256 })).statusCode, 201);
  assert.equal((await create({ ram: 256 })).json().code, 'no_capacity');
  for (const [body, pointer] of [
    [{ ram: 0 }, '/overcommit/ram'],
    [{ cpu: 1001 }, '/overcommit/cpu'],
    [{ disk: '2' }, '/overcommit/disk'],
    [{ network: 2 }, '/overcommit/network'],
  ] as const) {
    const refused = await change(body);
    assert.deepEqual([refused.statusCode, refused.json().errors[0].pointer], [422, pointer]);
  }
});

it('a cordoned node gets no servers until it is uncordoned, and keeps its own', async () => {
  const { nodeOf, ask, create, admin, db } = await world([{ name: 'a', ram: 8192 }, { name: 'b' }]);
  const { id, node } = (await create()).json();
  assert.equal(node, 'a');
  const cordon = (path: string) => ask('POST', path, admin);
  for (const _ of ['once', 'and again']) {
    const answer = await cordon('/nodes/a/cordon');
    assert.equal(answer.statusCode, 200, answer.body);
    const { state, cordoned, servers } = answer.json();
    assert.deepEqual([state, cordoned, servers], ['cordoned', true, 1]);
  }
  assert.equal(await nodeOf({}), 'b');
  assert.equal((await ask('GET', `/servers/${id}`)).json().node, 'a');
  await cordon('/nodes/b/cordon');
  const refused = (await create()).json();
  assert.deepEqual([refused.code, refused.excluded], ['no_capacity', { cordoned: 2 }]);
  assert.equal((await cordon('/nodes/a/uncordon')).json().state, 'online');
  assert.equal(await nodeOf({}), 'a');
  assert.equal((await cordon('/nodes/c/cordon')).json().code, 'node_not_found');
  assert.equal((await ask('POST', '/nodes/a/cordon')).statusCode, 403);
  const { rows } = await sql<{ action: string; name: string }>`
    select action, name from audit_log join nodes on target_kind = 'node' and target_id = nodes.id
    where audit_log.status = 200 order by audit_log.id`.execute(db);
  assert.deepEqual(
    rows.map(({ action, name }) => `${action} ${name}`),
    ['node_cordon a', 'node_cordon a', 'node_cordon b', 'node_uncordon a'],
  );
});

/** Places and inserts a server as a create does, without locking anything except its node. */
async function place(
  { db, place: at }: Awaited<ReturnType<typeof world>>,
  wanted: { cpu: number; ramMb: number; diskGb: number },
): Promise<'placed' | 'refused'> {
  const location = { ...(await db.selectFrom('locations').selectAll().executeTakeFirstOrThrow()) };
  try {
    await db.transaction().execute(async (trx) => {
      const project = new Project(trx, at.projectId);
      const { nodeId } = await placeServer(trx, project, location, { ...wanted, group: null });
      const mac = `02${randomBytes(5).toString('hex').replaceAll(/../g, ':$&')}`;
      const server = { uuid: randomUUID(), hostname: 'crowd', mac, trafficAllowance: null };
      await insertServer(project, { ...at, ...server, ...wanted, nodeId });
    });
    return 'placed';
  } catch (error) {
    if (error instanceof Problem && error.code === 'no_capacity') return 'refused';
    throw error;
  }
}

it('200 concurrent creates, which lock only their node, never overcommit one', async () => {
  const nodes = Array.from({ length: 8 }, (_, at) => ({ name: `n${at}`, ram: 2560, disk: 1000 }));
  const crowded = await world(nodes, { cpu: 100, ram: 1, disk: 1 });
  const { db } = crowded;
  const sizes = [256, 512, 1024];
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, (_, at) =>
      place(crowded, { cpu: 1, ramMb: sizes[at % 3] ?? 0, diskGb: 1 }),
    ),
  );
  const { rows } = await sql<{ held: number; counted: number; servers: number }>`
    select sum(s.ram_mb)::int as held, n.allocated_ram_mb as counted, n.servers
    from nodes n join servers s on s.node_id = n.id group by n.id`.execute(db);
  assert.equal(rows.length, 8);
  for (const { held, counted } of rows) {
    assert.equal(held, counted);
    assert.ok(held <= 2560, `${held} MiB of 2560 were allocated`);
    assert.ok(held > 2560 - 512, 'refused servers would not have fitted');
  }
  const placed = outcomes.filter((outcome) => outcome === 'placed').length;
  assert.equal(
    placed,
    rows.reduce((sum, { servers }) => sum + servers, 0),
  );
  assert.ok(placed < 200);
});

it('concurrent creates and deletes do not deadlock', async () => {
  const crowded = await world([{ name: 'a', ram: 1024 * 1024 }]);
  const { create, db } = crowded;
  const made = await Promise.all(Array.from({ length: 20 }, () => create()));
  const remove = (id: number) =>
    db.transaction().execute(async (trx) => {
      // A delete does the same.
      await sql`delete from addresses where server_id = ${id}`.execute(trx);
      await sql`update servers set deleted_at = now() where id = ${id}`.execute(trx);
    });
  const ids = made.map((answer) => answer.json().id);
  const [answers] = await Promise.all([
    Promise.all(ids.map(() => create())),
    Promise.all(ids.map(remove)),
  ]);
  for (const answer of answers) assert.equal(answer.statusCode, 201, answer.body);
  const node = await db.selectFrom('nodes').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([node.servers, node.allocated_ram_mb], [20, 20 * 256]);
});

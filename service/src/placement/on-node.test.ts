import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { Project } from '../db/project.ts';
import { Problem } from '../problems/problem.ts';
import { insertServer } from '../servers/queries.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { growOnNode, noRoomToGrow, placeOnNode, placeServer, requireRoom } from './placement.ts';
import { groupByNode, lockNodeIf, roomOfNodes } from './room-queries.ts';

const { db, close } = await createTestDatabase();
after(close);
const at = await installation(db);
const location = { id: at.locationId, overcommit_cpu: 1, overcommit_ram: 1, overcommit_disk: 1 };
const demand = { cpu: 4, ramMb: 1024, diskGb: 100 };

async function newNode(name: string, values: object = {}, locationId = at.locationId) {
  const size = { cpu: 4, ram_mb: 1024, disk_gb: 100, status: 'online' as const };
  const { id } = await db
    .insertInto('nodes')
    .values({ location_id: locationId, name, ...size, ...values })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, name };
}

const placed = (node: { id: number; name: string }, wanted: object = {}) =>
  db.transaction().execute((trx) => placeOnNode(trx, location, node, { ...demand, ...wanted }));

const rooms = () => db.transaction().execute((trx) => roomOfNodes(trx, at.locationId));

test('a requested node is chosen if it has exactly enough capacity', async () => {
  await placed(await newNode('ample'));
});

test('a requested node is refused with the reason, and lacks nothing if it accepts no servers at all', async () => {
  const [, small] = [await newNode('other'), await newNode('small')];
  const cases: [node: object, wanted: object, reason: string, words: RegExp, lacking: string[]][] =
    [
      [{}, { ramMb: 1025 }, 'ram', /small can't take the server: it lacks memory\.$/, ['ram']],
      [{}, { diskGb: 101 }, 'disk', /it lacks disk\.$/, ['disk']],
      [{}, { cpu: 5 }, 'cpu', /it lacks cores\.$/, ['cpu']],
      [{}, { currentNodeId: small.id }, 'current', /it has the server already\.$/, []],
      [{ cordoned: true }, {}, 'cordoned', /it is cordoned\.$/, []],
      [{ evacuated: true }, {}, 'evacuated', /it is evacuated\.$/, []],
      [{ gone: true }, {}, 'offline', /it is offline\.$/, []],
      [{ gone: false, lost: true }, {}, 'offline', /it is offline\.$/, []],
    ];
  for (const [values, wanted, reason, message, lacking] of cases) {
    const usual = { cordoned: false, evacuated: false, gone: false, lost: false };
    const set = { ...usual, ...values };
    await db.updateTable('nodes').set(set).where('id', '=', small.id).execute();
    const members = { lacking, nodes: 1, excluded: { [reason]: 1 } };
    await assert.rejects(placed(small, wanted), { code: 'no_capacity', message, members });
  }
});

test('the existing nodes of a location are listed', async () => {
  await db.deleteFrom('nodes').execute();
  const bounds = { max_cpu: 4, max_ram_mb: 1024, max_disk_gb: 100 };
  const engine = JSON.stringify({ socket_path: '/nowhere' });
  const within = { engine, incus_project: 'p', storage_pool: 'p', network: 'n' };
  const { id: elsewhere } = await db
    .insertInto('locations')
    .values({ name: 'elsewhere', description: 'Elsewhere', ...within, ...bounds })
    .returning('id')
    .executeTakeFirstOrThrow();
  await newNode('elsewhere', {}, elsewhere);
  await newNode('first');
  await newNode('gone', { gone: true });
  await newNode('lost', { lost: true });
  await newNode('second');
  const names = (await rooms()).map(({ name }) => name);
  assert.deepEqual(names.sort(), ['first', 'second']);
});

test('a server grows on its node within what that has, and is not refused for what it needs no more of', async () => {
  const node = await newNode('grown', {
    ...{ allocated_cpu: 3, allocated_ram_mb: 1000, allocated_disk_gb: 90, cordoned: true },
  });
  const more = { cpu: 1, ramMb: 24, diskGb: 10 };
  const size = { cpu: 2, ramMb: 512, diskGb: 20 };
  const grow = (to: object, by: object, rules: object = {}) =>
    db.transaction().execute((trx) => {
      const wanted = { size: { ...size, ...to }, more: { ...more, ...by } };
      return growOnNode(trx, { ...location, ...rules }, node.id, wanted);
    });
  assert.equal(await grow({}, {}), undefined);
  assert.equal(await grow({}, { ramMb: 25 }), 'ram');
  assert.equal(await grow({}, { diskGb: 11 }), 'disk');
  assert.equal(await grow({}, { cpu: 2 }), 'cpu');
  assert.equal(await grow({ cpu: 5 }, { cpu: 1 }, { overcommit_cpu: 9 }), 'cpu', 'it has 4');
  await db.updateTable('nodes').set({ allocated_cpu: 99 }).where('id', '=', node.id).execute();
  assert.equal(await grow({}, { cpu: 0 }), undefined);
  await db.updateTable('nodes').set({ gone: true }).where('id', '=', node.id).execute();
  assert.equal(await grow({}, {}), 'offline');
});

test('a refused growth says what the node lacks, and names the resource if it lacks one', () => {
  const cases = [
    ['ram', 'lacks memory', ['ram']],
    ['disk', 'lacks disk', ['disk']],
    ['cpu', 'lacks cores', ['cpu']],
    ['offline', 'is offline', []],
  ] as const;
  for (const [lack, words, lacking] of cases) {
    const { code, message, members } = noRoomToGrow('full', lack, 'Ask for less.');
    assert.equal(code, 'no_capacity');
    assert.equal(
      message,
      `The node full has no room for the new size of the server: it ${words}. Ask for less.`,
    );
    assert.deepEqual(members, { lacking, nodes: 1, excluded: { [lack]: 1 } });
  }
});

/** The names of those of the nodes that no transaction has locked. */
async function unlocked(nodes: { id: number }[]): Promise<string[]> {
  const ids = nodes.map(({ id }) => id);
  const free = db.selectFrom('nodes').select('name').forUpdate().skipLocked();
  const rows = await free.where('id', 'in', ids).execute();
  return rows.map(({ name }) => name);
}

test('a node that fits stays locked, and the lock of one that does not fit is released', async () => {
  const [taken, left] = [await newNode('taken'), await newNode('left')];
  await db.transaction().execute(async (trx) => {
    assert.equal(await lockNodeIf(trx, left.id, () => false), false);
    assert.equal(await lockNodeIf(trx, taken.id, ({ id }) => id === taken.id), true);
    assert.deepEqual(await unlocked([taken, left]), ['left']);
  });
});

test('a node on which a server can grow stays locked, and one without room does not', async () => {
  const roomy = await newNode('with-room');
  const full = await newNode('without-room', { allocated_cpu: 4 });
  const growth = { size: demand, more: { cpu: 1, ramMb: 0, diskGb: 0 } };
  await db.transaction().execute(async (trx) => {
    assert.equal(await growOnNode(trx, location, full.id, growth), 'cpu');
    assert.equal(await growOnNode(trx, location, roomy.id, growth), undefined);
    assert.deepEqual(await unlocked([full, roomy]), ['without-room']);
  });
});

test('the servers of a group are counted by node, at one location', async () => {
  const project = new Project(db, at.projectId);
  const [one, other] = [await newNode('one'), await newNode('another')];
  let made = 0;
  const enter = async (nodeId: number, group: string | null) => {
    made += 1;
    const server = { uuid: randomUUID(), hostname: `h${made}`, mac: `02:00:00:00:00:0${made}` };
    const size = { cpu: 1, ramMb: 1, diskGb: 1, trafficAllowance: null };
    return await insertServer(project, { ...at, ...server, ...size, nodeId, group });
  };
  for (const nodeId of [one.id, one.id, other.id]) await enter(nodeId, 'database');
  await enter(other.id, 'web');
  await enter(other.id, null);
  const deleted = await enter(one.id, 'database');
  const now = { deleted_at: new Date() };
  await db.updateTable('servers').set(now).where('id', '=', deleted).execute();
  const counted = await groupByNode(project, at.locationId, 'database');
  assert.deepEqual(
    counted,
    new Map([
      [one.id, 2],
      [other.id, 1],
    ]),
  );
  assert.equal((await groupByNode(project, at.locationId + 1000, 'database')).size, 0);
});

const placedAnywhere = (wanted: object, plugin?: KyselyPlugin) =>
  db.transaction().execute((trx) => {
    const own = plugin ? trx.withPlugin(plugin) : trx;
    const size = { cpu: 1, ramMb: 1, diskGb: 1, group: null };
    const project = new Project(trx, at.projectId);
    return placeServer(own, project, location, { ...size, ...wanted });
  });

test('a server that moves does not count as its own neighbour', async () => {
  await db.updateTable('nodes').set({ gone: true }).execute();
  const domains = { current: 'rack-1', beside: 'rack-1', far: 'rack-2', last: 'rack-3' };
  const ids: Record<string, number> = {};
  for (const [name, failure_domain] of Object.entries(domains)) {
    const ram_mb = name === 'far' ? 2048 : 1024;
    ids[name] = (await newNode(`${name}-node`, { failure_domain, ram_mb })).id;
  }
  const project = new Project(db, at.projectId);
  const enter = async (name: keyof typeof domains, group: string) => {
    const uuid = randomUUID();
    const server = { uuid, hostname: uuid, mac: uuid, trafficAllowance: null, group };
    const size = { cpu: 1, ramMb: 1, diskGb: 1 };
    await insertServer(project, { ...at, ...server, ...size, nodeId: ids[name] ?? 0 });
  };
  await db.updateTable('nodes').set({ cordoned: true }).where('name', '=', 'last-node').execute();
  for (const name of ['current', 'current', 'far'] as const) await enter(name, 'moved');
  await enter('far', 'moved');
  const move = { currentNodeId: ids.current };
  const { nodeId, placement } = await placedAnywhere({ ...move, group: 'moved' });
  assert.equal(nodeId, ids.beside);
  assert.equal(
    placement.reason,
    'The best of 2 nodes with room: 1 of the group moved in its failure domain rack-1, 0 of them on it.',
  );
  const without = await placedAnywhere(move);
  assert.equal(without.nodeId, ids.far, 'the one with the most memory');
  assert.deepEqual(without.placement.excluded, { current: 1, cordoned: 1 });
});

test('if others take the capacity of each chosen node, placement fails after ten attempts', async () => {
  await db.updateTable('nodes').set({ gone: true }).execute();
  const full = await newNode('full', { allocated_ram_mb: 1024 });
  let looks = 0;
  const stale = (times: number): KyselyPlugin => ({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      const rows = result.rows.filter((row) => 'ramAllocatedMb' in row);
      // The list is older than the locked row.
      if (rows.length > 0) looks += 1;
      if (looks % 2 === 1 && looks < 2 * times) for (const row of rows) row.ramAllocatedMb = 0;
      return result;
    },
  });
  await assert.rejects(placedAnywhere({}, stale(100)), { code: 'unavailable', retryAfter: 1 });
  assert.equal(looks, 20);
  looks = 0;
  const other = await newNode('roomy', { ram_mb: 512 });
  const { nodeId, placement } = await placedAnywhere({}, stale(1));
  assert.deepEqual([nodeId, placement.reason], [other.id, 'The only node with room.']);
  assert.equal(looks, 4, `${full.name} was tried first`);
});

test('without a lock it is known whether a node has room, for the same reasons', async () => {
  await db.updateTable('nodes').set({ gone: true }).execute();
  await newNode('only');
  await requireRoom(db, location, demand);
  const lacking = { cpu: 5, ramMb: 1025, diskGb: 101 };
  for (const [resource, amount] of Object.entries(lacking)) {
    const wanted = { ...demand, [resource]: amount };
    const error = await requireRoom(db, location, wanted).catch((reason: unknown) => reason);
    assert.ok(error instanceof Problem);
    const { code, message, members } = error;
    await assert.rejects(placedAnywhere(wanted), { code, message, members });
  }
});

test('a location without nodes says so', async () => {
  await db.updateTable('nodes').set({ gone: true }).execute();
  const detail = 'No node of this location takes servers: it has none. Try again later.';
  const problem = { code: 'no_capacity', message: detail };
  await assert.rejects(placedAnywhere({}), problem);
  await assert.rejects(requireRoom(db, location, demand), problem);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Project } from '../db/project.ts';
import { insertNodeOperation } from '../maintenance/moving-queries.ts';
import { db, enterServer, place, rowOf } from '../testing/operations.ts';
import { findNodeOperation } from './node-operation-queries.ts';
import { insertOperation, isOfNode, isOfServer } from './queries.ts';

const about = { step: 'only', message: 'new', deadlineSeconds: 60 };
const ended = { finished_at: new Date().toISOString() };

async function addNode(name: string): Promise<number> {
  const row = { location_id: place.locationId, name, status: 'online', cpu: 4, ram_mb: 1024 };
  const { id } = await db
    .insertInto('nodes')
    .values({ ...row, disk_gb: 10 } as never)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function serverOn(node: number, values: object = {}): Promise<number> {
  const id = await enterServer();
  await db
    .updateTable('servers')
    .set({ node_id: node, ...values })
    .where('id', '=', id)
    .execute();
  return id;
}

async function change(id: number, values: object): Promise<void> {
  await db.updateTable('operations').set(values).where('id', '=', id).execute();
}

async function startOn(nodeId: number, kind: 'evacuate' | 'restore'): Promise<number> {
  const enter = () =>
    db.transaction().execute((trx) => insertNodeOperation(trx, { ...about, kind, nodeId }));
  return (await enter()).id;
}

/** A move of a server, which is part of an operation on a node. */
async function move(parentId: number, serverId: number, values: object): Promise<number> {
  const operation = { ...about, kind: 'move', serverId, parentId };
  const enter = () =>
    db
      .transaction()
      .execute((trx) => insertOperation(new Project(trx, place.projectId), operation));
  const { id } = await enter();
  await change(id, values);
  return id;
}

const stateTo = (name: string) => JSON.stringify({ to: { name } });
const succeeded = { status: 'succeeded', ...ended, state: stateTo('target') };
const error = JSON.stringify({ code: 'no_room', message: 'No room.' });
const failed = { status: 'failed', ...ended, error };

test('an evacuation shows each server that it moves, and where it is', async () => {
  const [source, target] = [await addNode('source'), await addNode('target')];
  const id = await startOn(source, 'evacuate');
  await serverOn(target);
  const moved = await serverOn(target);
  const moving = await serverOn(source);
  const waiting = await serverOn(source);
  const broken = await serverOn(source);
  const refused = await serverOn(source);
  const gone = await serverOn(target, { deleted_at: ended.finished_at });
  await serverOn(source, { deleted_at: ended.finished_at });
  const first = await move(id, moved, failed);
  const second = await move(id, moved, succeeded);
  assert.ok(first < second, 'the last move counts');
  const going = await move(id, moving, { status: 'running', state: stateTo('target') });
  const inVain = await move(id, broken, failed);
  const before = await move(id, gone, failed);
  const other = await startOn(target, 'evacuate');
  await move(other, waiting, { ...failed });
  await change(id, { state: JSON.stringify({ refused: { [refused]: 'It is locked.' } }) });

  const servers = (await findNodeOperation(db, id))?.servers;
  const hostname = 'test';
  const none = { reason: null, operation_id: null };
  assert.deepEqual(servers, [
    { id: moved, hostname, status: 'moved', node: 'target', reason: null, operation_id: second },
    { id: moving, hostname, status: 'moving', node: 'target', reason: null, operation_id: going },
    { id: waiting, hostname, status: 'waiting', node: 'source', ...none },
    {
      ...{ id: broken, hostname, status: 'failed', node: 'source' },
      ...{ reason: 'No room.', operation_id: inVain },
    },
    {
      ...{ id: refused, hostname, status: 'failed', node: 'source' },
      ...{ reason: 'It is locked.', operation_id: null },
    },
    { id: gone, hostname, status: 'deleted', node: 'target', reason: null, operation_id: before },
  ]);

  await change(id, { status: 'failed', ...ended });
  const afterwards = (await findNodeOperation(db, id))?.servers.map((server) => server.id);
  assert.deepEqual(
    afterwards,
    [moved, moving, broken, refused, gone],
    'nothing waits for it any more',
  );
});

test('a restore shows the servers that were evacuated from its node', async () => {
  const [home, refuge] = [await addNode('home'), await addNode('refuge')];
  const back = await serverOn(refuge, { evacuated_from: home });
  await serverOn(refuge);
  await serverOn(refuge, { evacuated_from: home, deleted_at: ended.finished_at });
  await serverOn(home);
  const id = await startOn(home, 'restore');
  const { node, kind, servers } = (await findNodeOperation(db, id)) ?? {};
  assert.deepEqual([node, kind], ['home', 'restore']);
  assert.deepEqual(servers, [
    {
      id: back,
      hostname: 'test',
      status: 'waiting',
      node: 'refuge',
      reason: null,
      operation_id: null,
    },
  ]);
});

test('an operation is on a server or on a node', async () => {
  const onNode = await rowOf(await startOn(await addNode('own'), 'evacuate'));
  const project = new Project(db, place.projectId);
  const serverId = await enterServer();
  const onServer = await insertOperation(project, { ...about, kind: 'start', serverId });
  assert.deepEqual([isOfNode(onNode), isOfServer(onNode)], [true, false]);
  assert.deepEqual([isOfNode(onServer), isOfServer(onServer)], [false, true]);
});

test('an operation on a server is not one on a node', async () => {
  const server = await enterServer();
  const project = new Project(db, place.projectId);
  const { id } = await insertOperation(project, { ...about, kind: 'start', serverId: server });
  assert.equal(await findNodeOperation(db, id), undefined);
  assert.equal(await findNodeOperation(db, id + 1000), undefined);
});

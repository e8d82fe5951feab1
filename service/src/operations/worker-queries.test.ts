import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createLeader } from '../db/locks/leader.ts';
import { Project } from '../db/project.ts';
import {
  db,
  ended,
  enter,
  enterServer,
  kindOf,
  place,
  pool,
  rowOf,
} from '../testing/operations.ts';
import { dropLeases } from './lease-queries.ts';
import {
  failedCreate,
  insertOperation,
  lastOperation,
  supersedeOperation,
  unfinishedOperation,
  wipeSecrets,
} from './queries.ts';
import {
  claimUnpacking,
  isUnpackingClaimed,
  unpackingLock,
  wipeOldSecrets,
} from './worker-queries.ts';

const project = new Project(db, place.projectId);
const create = kindOf({ only: async () => ended() }, { kind: 'create' });
const secrets = Buffer.from('secret');
const start = { kind: 'create', step: 'only', message: 'new', deadlineSeconds: 60 };

async function change(id: number, values: object): Promise<void> {
  await db.updateTable('operations').set(values).where('id', '=', id).execute();
}

const failedAgo = (hours: number) => ({
  status: 'failed',
  finished_at: sql<string>`now() - make_interval(hours => ${hours})`,
});

const secretsOf = async (ids: number[]) =>
  await Promise.all(ids.map(async (id) => (await rowOf(id)).secrets?.toString() ?? null));

test('secrets are wiped a day after a create has failed, and no others', async () => {
  const ids = [
    await enter(create, { secrets }),
    await enter(create, { secrets }),
    await enter(create, { secrets }),
    await enter(create),
  ];
  const [old = 0, recent = 0, , none = 0] = ids;
  for (const id of [old, none]) await change(id, failedAgo(25));
  await change(recent, failedAgo(23));
  assert.equal(await wipeOldSecrets(db), 1);
  assert.deepEqual(await secretsOf(ids), [null, 'secret', 'secret', null]);
});

test('the secrets of a server are wiped if its operation has ended, and those of other servers are not', async () => {
  const [server, other] = [await enterServer(), await enterServer()];
  const failed = async (serverId: number) => {
    const { id } = await insertOperation(project, { ...start, serverId, secrets: () => secrets });
    await change(id, failedAgo(1));
    return id;
  };
  const ids = [await failed(server), await failed(other)];
  const { id: going } = await insertOperation(project, {
    ...{ ...start, serverId: server, secrets: () => secrets },
  });
  ids.push(going);
  const found = await failedCreate(project, server);
  assert.equal(found?.id, ids[0]);
  assert.equal((await unfinishedOperation(project, server))?.id, going);
  assert.equal(await unfinishedOperation(project, other), undefined);
  assert.equal((await lastOperation(project, server))?.id, going);
  await wipeSecrets(project, server);
  assert.deepEqual(await secretsOf(ids), [null, 'secret', 'secret']);
  assert.equal(await failedCreate(project, server), undefined);
});

test('an operation is stored with all of its initial values, and changes no other one', async () => {
  const [serverId, beside] = [await enterServer(), await enter(create, { secrets })];
  const before = await rowOf(beside);
  const placement = { node: 'n', reason: 'r', nodes: 1, excluded: {}, others: [] };
  const more = { parentId: beside, placement, state: { at: 7 } };
  const sealed = (id: number) => Buffer.from(`for ${id}`);
  const row = await insertOperation(project, { ...start, serverId, ...more, secrets: sealed });
  assert.deepEqual(row, await rowOf(row.id));
  assert.deepEqual([row.parent_id, row.placement, row.state], [beside, placement, { at: 7 }]);
  assert.equal(row.secrets?.toString(), `for ${row.id}`);
  assert.equal(row.project_id, place.projectId);
  await supersedeOperation(project, row.id, 'a test');
  const { status, message, secrets: kept } = await rowOf(row.id);
  assert.deepEqual(
    [status, message, kept],
    ['superseded', 'Creating the server was superseded by a test.', null],
  );
  assert.deepEqual(await rowOf(beside), before);
});

test('an image is unpacked on a node by one create at a time', async () => {
  await db.deleteFrom('operations').execute();
  const other = await db
    .insertInto('nodes')
    .values({ location_id: place.locationId, name: 'other', cpu: 1, ram_mb: 1, status: 'online' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const claim = (id: number, fingerprint: string, nodeId = place.nodeId) =>
    db.transaction().execute((trx) => claimUnpacking(trx, { id, fence: 0, nodeId, fingerprint }));
  const [first, second, third] = [await enter(create), await enter(create), await enter(create)];
  await change(second, { state: JSON.stringify({ kept: true }) });
  assert.equal(await claim(first, 'a'), true);
  assert.equal(await claim(first, 'a'), true, 'it does not wait for itself');
  assert.equal(await claim(second, 'a'), false);
  assert.deepEqual((await rowOf(second)).state, { kept: true });
  assert.equal(await claim(third, 'a', other.id), true, 'another node');
  assert.equal(await claim(third, 'b'), true);
  assert.deepEqual((await rowOf(third)).state, { unpacks: 'b' });
  await change(first, { kind: 'start' });
  assert.equal(await claim(second, 'a'), true);
  assert.deepEqual((await rowOf(second)).state, { kept: true, unpacks: 'a' });
  await change(second, failedAgo(0));
  assert.equal(await claim(third, 'a'), true);
});

test('an image is unpacked on a node by a create or ahead of any, and not by both', async () => {
  await db.deleteFrom('operations').execute();
  const { nodeId } = place;
  const id = await enter(create);
  const leader = createLeader({ pool, log: pino({ level: 'silent' }) });
  const ahead = <Result>(work: () => Promise<Result>, node = nodeId) =>
    leader.ifFree(unpackingLock(node), work);
  const claim = (fingerprint: string) =>
    db.transaction().execute((trx) => claimUnpacking(trx, { id, fence: 0, nodeId, fingerprint }));
  const isClaimed = (fingerprint: string) => isUnpackingClaimed(db, { nodeId, fingerprint });
  const both = async () => [await claim('a'), await claim('b')];
  assert.deepEqual(await ahead(both), [false, false]);
  assert.deepEqual((await rowOf(id)).state, {});
  assert.deepEqual(await ahead(both, nodeId + 1), [true, true]);
  assert.deepEqual((await rowOf(id)).state, { unpacks: 'b' });
  assert.deepEqual([await isClaimed('a'), await isClaimed('b')], [false, true]);
  await db.transaction().execute(async (trx) => {
    assert.equal(await claimUnpacking(trx, { id, fence: 0, nodeId, fingerprint: 'a' }), true);
    assert.equal(await ahead(async () => true), undefined, 'the claim is not written yet');
  });
  assert.deepEqual([await ahead(() => isClaimed('a')), await isClaimed('b')], [true, false]);
  await change(id, failedAgo(0));
  assert.equal(await isClaimed('a'), false);
});

test('leases are dropped where there are any, and nothing else is written', async () => {
  await db.deleteFrom('operations').execute();
  const [leased, free] = [await enter(create), await enter(create)];
  await change(leased, { lease_holder: crypto.randomUUID(), lease_until: sql`now()` });
  const versions = async () =>
    (await sql<{ xmin: string }>`select xmin::text from operations where id = ${free}`.execute(db))
      .rows;
  const before = await versions();
  await dropLeases(db);
  const { lease_holder, lease_until } = await rowOf(leased);
  assert.deepEqual([lease_holder, lease_until], [null, null]);
  assert.deepEqual(await versions(), before);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Project } from '../service/src/db/project.ts';
import type { TrafficPolicy } from '../service/src/db/schema/schema.ts';
import { insertOperation } from '../service/src/operations/queries.ts';
import { actions } from '../service/src/servers/actions/all.ts';
import { enterAction } from '../service/src/servers/actions/enter.ts';
import { operationUnderWay } from '../service/src/testing/servers.ts';
import {
  allow,
  db,
  enterAnother,
  gigabyte,
  move,
  now,
  place,
  round,
  server,
  setClock,
} from './allowed-server.ts';

async function useUp(policy: TrafficPolicy): Promise<void> {
  await allow(policy);
  move(2 * gigabyte);
}

const request = (name: 'start' | 'stop' | 'restart') =>
  db.transaction().execute((trx) => {
    const project = new Project(trx, place.projectId);
    return enterAction({ trx, project }, server.id, actions[name], { force: false });
  });

async function underWay() {
  const { kind, state } = await operationUnderWay(db, server.id);
  return [kind, state];
}

const stop = (state: object) => ['stop', { ...state, forTraffic: true }];

/** Ends the operation in progress a second later, as if the guest had ignored its shutdown. */
async function ignore(): Promise<void> {
  setClock(new Date(now().getTime() + 1000));
  const { id } = await operationUnderWay(db, server.id);
  const error = JSON.stringify({
    code: 'guest_ignored_shutdown',
    message: 'It ignores its shutdown.',
  });
  const failed = { status: 'failed' as const, finished_at: now(), error };
  await db.updateTable('operations').set(failed).where('id', '=', id).execute();
}

test('the policy stop stops the server, by force if its guest does not react', async () => {
  await useUp('stop');
  await round(0);
  await round(0);
  assert.deepEqual(await underWay(), stop({ force: false }));
  await ignore();
  await round(0);
  assert.deepEqual(await underWay(), stop({ force: true }));
});

test('a stop supersedes a restart, and a start in progress', async () => {
  for (const action of ['restart', 'start'] as const) {
    await enterAnother();
    if (action === 'start') await setStatus('stopped');
    await request(action);
    await useUp('stop');
    await round(0);
    assert.deepEqual(await underWay(), stop({ force: false, supersedes: true }));
  }
});

test('a guest that does not react is stopped by force, even if others request a shutdown meanwhile', async () => {
  await useUp('none');
  await round(0);
  await request('restart');
  await ignore();
  await allow('stop');
  await request('stop');
  await round(0);
  assert.deepEqual(await underWay(), stop({ force: true, supersedes: true }));
  const { id } = await operationUnderWay(db, server.id);
  await round(0);
  assert.equal((await operationUnderWay(db, server.id)).id, id);
});

test('earlier behaviour of a guest, from before its allowance was used up, does not count', async () => {
  await request('restart');
  await ignore();
  await useUp('stop');
  await round(0);
  assert.deepEqual(await underWay(), stop({ force: false }));
});

test('a create and a move are finished before a stop', async () => {
  for (const kind of ['create', 'move']) {
    await enterAnother();
    const about = { step: 'first', message: 'Under way', deadlineSeconds: 60 };
    const project = new Project(db, place.projectId);
    const { id } = await insertOperation(project, { ...about, serverId: server.id, kind });
    await useUp('stop');
    await round(0);
    assert.equal((await operationUnderWay(db, server.id)).id, id);
    const done = { status: 'succeeded' as const, finished_at: now() };
    await db.updateTable('operations').set(done).where('id', '=', id).execute();
    await round(0);
    assert.deepEqual(await underWay(), stop({ force: false }));
  }
});

const setStatus = (status: 'started' | 'stopped') =>
  db
    .updateTable('servers')
    .set({ status, real_status: status })
    .where('id', '=', server.id)
    .execute();

test('a stopped server can be started and restarted when it has traffic again', async () => {
  await useUp('stop');
  await round(0);
  await db.deleteFrom('operations').where('server_id', '=', server.id).execute();
  await assert.rejects(() => request('restart'), { code: 'traffic_exceeded' });
  await setStatus('stopped');
  await assert.rejects(() => request('start'), { code: 'traffic_exceeded' });
  const more = { traffic_allowance: 3 * gigabyte };
  await db.updateTable('servers').set(more).where('id', '=', server.id).execute();
  assert.equal((await request('start')).kind, 'start');
});

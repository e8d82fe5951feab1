import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { runningServer } from './servers.ts';

// What a delete asks of the engine, and what becomes of one whose disk stays without its instance.

let laboratory: Laboratory;
before(async () => {
  // No sweep is to ask meanwhile.
  laboratory = await openLaboratory({ sweepMilliseconds: 3_600_000 });
});
after(() => laboratory.close());

/** How often the engine was asked, by what. */
async function calls(): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const line = /^berth_engine_calls_total\{(.*)\} (\d+)$/gm;
  for (const [, labels = '', count] of (await laboratory.metrics()).matchAll(line)) {
    const [method, path] = ['method', 'path'].map(
      (n) => RegExp(`${n}="([^"]*)"`).exec(labels)?.[1],
    );
    const call = `${method} ${path}`;
    found.set(call, (found.get(call) ?? 0) + Number(count));
  }
  return found;
}

async function callsSince(before: Map<string, number>) {
  const counts = [...(await calls())].map(
    ([call, n]) => [call, n - (before.get(call) ?? 0)] as const,
  );
  return new Map(counts.filter(([, count]) => count > 0));
}

const addressesOf = async (id: number) =>
  await laboratory.database.db
    .selectFrom('addresses')
    .select('ip')
    .where('server_id', '=', id)
    .execute();

const removeDisk = (name: string) =>
  laboratory.simulator.administrator.removeDisk(project, 'berth', name);

it('a delete asks for its own instance and its own disk, and once for others that bear its label', async () => {
  const { id } = await runningServer(laboratory, 'asked');
  const before = await calls();
  await succeeds(laboratory, await laboratory.request(id, 'delete'));
  const since = await callsSince(before);
  const lists = [...since].filter(([call]) => /^GET .*(instances|volumes)$/.test(call));
  assert.deepEqual(lists, [['GET /1.0/instances', 1]]);
  const disk = 'GET /1.0/storage-pools/{name}/volumes/{name}/{name}';
  assert.equal(since.get(disk), 1, JSON.stringify([...since]));
});

it('a disk that is left is waited for, ever more rarely, and the delete says so', async () => {
  const { id, name } = await runningServer(laboratory, 'left');
  laboratory.simulator.administrator.forget(project, name);
  const operation = await laboratory.request(id, 'delete');
  await eventually(async () => {
    const { message } = await row(operation.id);
    assert.match(message, new RegExp(`waiting for the volume container/${name} .* to go`));
  });
  const before = await calls();
  await sleep(5000);
  const asked = [...(await callsSince(before)).values()].reduce((sum, count) => sum + count, 0);
  assert.ok(asked < 120, `${asked} calls in 5 s`);
  assert.equal((await addressesOf(id)).length, 2);
  removeDisk(name);
  assert.equal((await laboratory.ended(operation.id)).status, 'succeeded');
  assert.deepEqual(await addressesOf(id), []);
});

it('one that stays ends the delete with what to do, and the next delete goes on from there', async () => {
  const { id, name } = await runningServer(laboratory, 'stays');
  laboratory.simulator.administrator.forget(project, name);
  const operation = await laboratory.request(id, 'delete');
  await eventually(async () => assert.equal((await row(operation.id)).step, 'release'));
  await laboratory.database.db
    .updateTable('operations')
    .set({ step_since: sql`now() - interval '1 hour'`, wake_at: sql`now()` })
    .where('id', '=', operation.id)
    .execute();
  const { status, error } = await laboratory.ended(operation.id);
  assert.deepEqual([status, error?.code], ['failed', 'disk_left']);
  assert.match(
    error?.message ?? '',
    new RegExp(`volume container/${name} of the storage pool berth`),
  );
  const server = await laboratory.server(id);
  assert.deepEqual([server.status, server.error], ['error', error?.message]);
  assert.equal((await addressesOf(id)).length, 2);
  removeDisk(name);
  await succeeds(laboratory, await laboratory.request(id, 'delete'));
  assert.deepEqual(await addressesOf(id), []);
});

async function row(id: number) {
  const query = laboratory.database.db.selectFrom('operations').selectAll().where('id', '=', id);
  return await query.executeTakeFirstOrThrow();
}

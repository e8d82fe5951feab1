import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Fault } from '../incus-sim/src/faults.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { runningServer } from './servers.ts';

// Tests the requests of a delete to the engine, and the delete of a server whose disk has no
// instance.

let laboratory: Laboratory;
before(async () => {
  // No sweep may send requests meanwhile.
  laboratory = await openLaboratory({ sweepMilliseconds: 3_600_000, timing: { receive: 500 } });
});
after(() => laboratory.close());

/** The number of requests to the engine, by request. */
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

it('a delete reads its own instance and disk, and lists other instances with its label once', async () => {
  const { id } = await runningServer(laboratory, 'asked');
  const before = await calls();
  await succeeds(laboratory, await laboratory.request(id, 'delete'));
  const since = await callsSince(before);
  const lists = [...since].filter(([call]) => /^GET .*(instances|volumes)$/.test(call));
  assert.deepEqual(lists, [['GET /1.0/instances', 1]]);
  const disk = 'GET /1.0/storage-pools/{name}/volumes/{name}/{name}';
  assert.equal(since.get(disk), 1, JSON.stringify([...since]));
});

/** A server whose instance is gone, and whose disk still exists. */
async function left(hostname: string) {
  const { id, name } = await runningServer(laboratory, hostname);
  laboratory.simulator.administrator.forget(project, name);
  return { id, name };
}

async function nothingIsLeft(id: number): Promise<void> {
  const { client } = laboratory;
  assert.deepEqual(await addressesOf(id), []);
  assert.deepEqual(await client.instances.list(), []);
  const volumes = await client.storage.listVolumes('berth');
  assert.ok(volumes.every(({ type }) => type === 'image'));
}

it('a disk without an instance is removed, and the delete says so', async () => {
  const { id, name } = await left('left');
  const { id: operation } = await laboratory.request(id, 'delete');
  const { status, message } = await laboratory.ended(operation);
  assert.equal(status, 'succeeded', message);
  const volume = `the volume container/${name} of the storage pool berth on the node simulated`;
  assert.ok(message.includes(`So was ${volume}`), message);
  await nothingIsLeft(id);
});

describe('a disk without an instance is removed', () => {
  const calls = {
    'the creation of the record': '/instances$',
    'the rebuild': '/rebuild$',
    'the rename': '/instances/srv-[^/]*$',
  };
  const ofCalls: Record<string, Fault> = {
    'is refused': { kind: 'error', text: 'Passing', status: 400 },
    'is lost': { kind: 'drop', when: 'before' },
    'gets no response': { kind: 'drop', when: 'after' },
    'is interrupted': { kind: 'operation', at: 'half', text: 'Passing' },
    'succeeds, but is reported as failed': { kind: 'operation', at: 'end', text: 'Passing' },
  };
  for (const [call, path] of Object.entries(calls)) {
    for (const [trouble, fault] of Object.entries(ofCalls)) {
      it(`when ${call} ${trouble}`, async () => {
        const { id } = await left('troubled');
        const method = 'POST';
        laboratory.simulator.faults.add({ ...fault, method, path, times: 1 });
        await succeeds(laboratory, await laboratory.request(id, 'delete'));
        await nothingIsLeft(id);
      });
    }
  }
});

it('a disk that the engine refuses to remove fails the delete with advice, and the next delete continues', async () => {
  const { id, name } = await left('stays');
  const text = 'Cannot remove an instance volume that has snapshots';
  const { faults } = laboratory.simulator;
  faults.add({ kind: 'operation', at: 'begin', method: 'POST', path: '/rebuild$', text });
  const operation = await laboratory.request(id, 'delete');
  await eventually(async () => {
    const { message, last_error } = await row(operation.id);
    assert.match(message, new RegExp(`trying again to remove the volume container/${name} `));
    assert.equal(last_error, text, 'operators see why');
  });
  await laboratory.database.db
    .updateTable('operations')
    .set({ state: sql`jsonb_set(state, '{left,since}', '0')`, wake_at: sql`now()` })
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
  faults.clear();
  await succeeds(laboratory, await laboratory.request(id, 'delete'));
  await nothingIsLeft(id);
});

async function row(id: number) {
  const query = laboratory.database.db.selectFrom('operations').selectAll().where('id', '=', id);
  return await query.executeTakeFirstOrThrow();
}

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { nothingIsLeft, runningServer } from './servers.ts';

// Tests what root in a guest can do to the host, also for servers of an earlier version.

const project = 'berth';
const makeSubvolume = '0x5000940e';
const deny = 'security.syscalls.deny';

let laboratory: Laboratory;
before(async () => {
  // One operation at a time: a guest that blocked a worker would block all of them.
  laboratory = await openLaboratory({ workers: 1, concurrency: 1, sweepMilliseconds: 300 });
});
after(() => laboratory.close());

const mayEscape = (name: string) =>
  laboratory.simulator.administrator.mayAskBtrfs(project, name, makeSubvolume);

async function remove(id: number): Promise<void> {
  await succeeds(laboratory, await laboratory.request(id, 'delete'));
  await nothingIsLeft(laboratory, id);
}

/** A running server of an earlier version of Berth. */
async function earlierServer(hostname: string) {
  const { simulator, client } = laboratory;
  const server = await runningServer(laboratory, hostname);
  assert.equal(mayEscape(server.name), false);
  simulator.administrator.stop(project, server.name);
  await client.instances.change(server.name, () => ({ config: { [deny]: '' } }));
  return server;
}

async function toldUnconfined(count: number): Promise<void> {
  const told = new RegExp(`^berth_servers_unconfined\\{location="test"\\} ${count}$`, 'm');
  await eventually(async () => assert.match(await laboratory.metrics(), told));
}

describe('a server that was created before guests were confined', () => {
  it('is reported while it runs unconfined, and confined by its next start', async () => {
    const { administrator } = laboratory.simulator;
    await toldUnconfined(0);
    const { id, name } = await earlierServer('earlier');
    administrator.start(project, name);
    assert.equal(mayEscape(name), true);
    await toldUnconfined(1);
    assert.equal(mayEscape(name), true, 'a policy applies to a whole run');
    administrator.stop(project, name);
    administrator.start(project, name);
    assert.equal(mayEscape(name), false);
    await toldUnconfined(0);
    await remove(id);
  });

  it('is confined by a start of Berth', async () => {
    const { id, name } = await earlierServer('started');
    await eventually(async () => {
      assert.equal((await laboratory.server(id)).status, 'stopped');
    });
    await succeeds(laboratory, await laboratory.request(id, 'start'));
    assert.equal(mayEscape(name), false);
    await remove(id);
  });
});

describe('a guest that replaces its progress file', () => {
  for (const reportIs of ['fifo', 'directory', 'symlink', 'noise', 'long'] as const) {
    it(`(${reportIs}) fails its create with an explanation, and occupies no worker`, async () => {
      const { faults } = laboratory.simulator;
      faults.guest('*', { reportIs });
      const { serverId, operation } = await laboratory.create(`report-${reportIs}`);
      const { status, error } = await laboratory.ended(operation.id);
      assert.deepEqual([status, error?.code], ['failed', 'guest_report_replaced']);
      assert.match(
        error?.message ?? '',
        /\/var\/lib\/berth\/progress.*: [^.]+\. The server may be running.*Create it again/,
      );
      faults.clear();
      const other = await runningServer(laboratory, `beside-${reportIs}`);
      await remove(other.id);
      await remove(serverId);
    });
  }

  it('whose progress file can not be read fails its create after some attempts', async () => {
    const { faults } = laboratory.simulator;
    const { database } = laboratory;
    faults.add({ kind: 'error', method: 'HEAD', path: '/files$', text: 'broken', status: 500 });
    const { serverId, operation } = await laboratory.create('unreadable');
    // Without pauses, so that the next poll is always due.
    const hurry = setInterval(() => {
      void database.db
        .updateTable('operations')
        .set({ wake_at: new Date().toISOString() })
        .where('id', '=', operation.id)
        .where('lease_holder', 'is', null)
        .execute();
    }, 100);
    const { error } = await laboratory.ended(operation.id).finally(() => clearInterval(hurry));
    assert.equal(error?.code, 'guest_report_unreadable');
    assert.match(
      error?.message ?? '',
      /could not be read in 10 attempts: [^.]+\. The server may be running.*Retry the create/,
    );
    faults.clear();
    await remove(serverId);
  });
});

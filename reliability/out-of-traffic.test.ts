import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEntry } from '@berth/contract/audit';
import { until } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';

// Tests that servers with a used-up allowance are stopped in time, even if clients try to prevent that.

/** Many rounds of counting. */
const stoppedSeconds = 120;
let laboratory: Laboratory;

before(async () => {
  laboratory = await openLaboratory({ stopTimeoutSeconds: 2 });
  const { db } = laboratory.database;
  await db.updateTable('locations').set({ traffic_policy: 'stop' }).execute();
});

after(() => laboratory.close());

/** A server that has exceeded its allowance. */
async function useUp(name: string, guest = {}) {
  const { database, simulator } = laboratory;
  const { serverId, operation } = await laboratory.create(name);
  assert.equal((await laboratory.ended(operation.id)).status, 'succeeded');
  const { name: instance } = await laboratory.server(serverId);
  simulator.faults.guest(instance, guest);
  const allowance = { traffic_allowance: 1000 };
  await database.db.updateTable('servers').set(allowance).where('id', '=', serverId).execute();
  simulator.administrator.transfer(project, instance, { incoming: 0, outgoing: 5000 });
  return { serverId, instance };
}

for (const [who, guest] of [
  ['', {}],
  [', and a guest that ignores its shutdown', { ignoresShutdown: true }],
] as const) {
  test(`a client that requests restarts repeatedly can not prevent a stop${who}`, async () => {
    const { serverId, instance } = await useUp('evasive', guest);
    const answers = new Map<string, number>();
    let isStopped = false;
    const client = async () => {
      while (!isStopped) {
        const answer = await laboratory.post(`/servers/${serverId}/restart`);
        const code = answer.statusCode === 202 ? 'accepted' : answer.json().code;
        answers.set(code, (answers.get(code) ?? 0) + 1);
        await sleep(20);
      }
    };
    const asking = client();
    const stopped = until(
      'it is stopped',
      () => laboratory.server(serverId),
      ({ status }) => status === 'stopped',
      stoppedSeconds,
    ).finally(() => {
      isStopped = true;
    });
    await Promise.all([asking, stopped]);
    assert.equal((await laboratory.client.instances.get(instance))?.status, 'Stopped');
    assert.deepEqual(
      (await laboratory.post(`/servers/${serverId}/start`)).json().code,
      'traffic_exceeded',
    );
    const { allowed_actions: allowed } = await laboratory.ask(`/servers/${serverId}`);
    assert.deepEqual(allowed, ['password', 'resize', 'delete']);
    const entries = await laboratory.ask('/audit?action=server_stop');
    const stops = Object.values(entries) as AuditEntry[];
    const ours = stops.filter(({ target }) => target?.id === serverId);
    assert.ok(ours.length > 0 && ours.every(({ source }) => source === 'berth'));
    // All remaining requests must be refused.
    assert.ok(answers.has('operation_in_progress'), JSON.stringify([...answers]));
  });
}

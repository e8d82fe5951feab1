import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually, until } from '../service/src/testing/until.ts';
import { openLaboratory, project } from './laboratory.ts';

const laboratory = await openLaboratory({ sweepMilliseconds: 200 });
after(() => laboratory.close());

/** The sum of the samples whose line begins so. */
async function value(beginning: string): Promise<number> {
  const lines = (await laboratory.metrics()).split('\n').filter((l) => l.startsWith(beginning));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test('the metrics have operations, calls to the engine and syncs', async () => {
  const { simulator } = laboratory;
  simulator.faults.add({
    kind: 'error',
    method: 'PUT',
    path: '/state$',
    text: 'database is locked',
    status: 500,
    times: 2,
  });
  const { serverId, operation } = await laboratory.create('counted');
  await laboratory.ended(operation.id);
  const ended = 'berth_operation_duration_seconds_count{kind="create",outcome="succeeded"}';
  // A worker counts an operation after its end was committed.
  await eventually(async () => assert.equal(await value(ended), 1));
  assert.equal(await value('berth_operation_step_retries_total{kind="create"'), 2);
  assert.equal(
    await value(
      'berth_engine_calls_total{method="PUT",path="/1.0/instances/{name}/state",outcome="busy"}',
    ),
    2,
  );
  for (const counted of [
    'berth_engine_event_lag_seconds_count',
    'berth_sweep_duration_seconds_count',
  ]) {
    await until(`there is ${counted}`, () => value(counted));
  }
  assert.doesNotMatch(await laboratory.metrics(), /srv-/);

  const vanished = 'berth_reconciler_findings_total{finding="instance_vanished"}';
  assert.equal(await value(vanished), 0);
  const { name } = await laboratory.server(serverId);
  simulator.administrator.delete(project, name);
  await eventually(async () => assert.equal(await value(vanished), 1));
});

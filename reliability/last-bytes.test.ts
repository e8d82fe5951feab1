import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../service/src/testing/until.ts';
import { openLaboratory, project } from './laboratory.ts';

const moved = 1_000_000;

const laboratory = await openLaboratory({ timing: { shutdown: 4000 }, stopTimeoutSeconds: 30 });
after(() => laboratory.close());

test('the traffic of a guest during its shutdown is counted', async () => {
  const { simulator, database } = laboratory;
  const { serverId, operation } = await laboratory.create('talker');
  await laboratory.ended(operation.id);
  const { name } = await laboratory.server(serverId);
  const stop = await laboratory.request(serverId, 'stop');
  const step = async () => {
    const { rows } = await database.pool.query('select step from operations where id = $1', [
      stop.id,
    ]);
    return rows[0].step;
  };
  await eventually(async () => assert.equal(await step(), 'shutdown'));
  simulator.administrator.transfer(project, name, { incoming: moved, outgoing: 2 * moved });
  assert.equal((await laboratory.ended(stop.id)).status, 'succeeded');
  const { rows } = await database.pool.query(
    'select incoming, outgoing from traffic_months where server_id = $1',
    [serverId],
  );
  assert.ok(rows[0].incoming >= moved && rows[0].outgoing >= 2 * moved, JSON.stringify(rows));
});

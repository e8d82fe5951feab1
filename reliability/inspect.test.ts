import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { writeStatuses } from '../service/src/reconciler-runtime/queries.ts';
import { toolOn } from '../service/src/testing/tool.ts';
import { until } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';

// Tests what an operator sees while an engine answers.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ sweepMilliseconds: 200, pingMilliseconds: 200 });
});
after(() => laboratory.close());

it("shows the engine's view of a server next to the records, even if they differ", async () => {
  const { database, simulator } = laboratory;
  const { serverId, operation } = await laboratory.create('seen');
  await laboratory.ended(operation.id);
  const { name } = await laboratory.server(serverId);
  const run = toolOn(database.connectionString, 'inspect');
  const shown = async () => (await run('server', String(serverId))).stdout;
  const ours = await shown();
  assert.match(ours, /^status +started$/m);
  assert.match(ours, new RegExp(`^instance +${name}: Running$`, 'm'));
  assert.match(ours, /^addresses +\d+\.\d+\.\d+\.\d+, /m);
  assert.match(ours, /^volume +container in berth$/m);
  assert.match(ours, /^Incus operations +none$/m);
  simulator.administrator.delete(project, name);
  const theirs = await shown();
  assert.match(theirs, new RegExp(`^instance +${name}: none$`, 'm'));
  assert.match(theirs, /^volume +none$/m);
});

/** The reconcilers that run without being triggered. */
const regular = [
  ...['due-operations', 'clock-skew-guard', 'locations'],
  ...['engine', 'members-away', 'nodes', 'instances', 'reachability', 'network-policy', 'subnets'],
  ...[
    'traffic-limits',
    'images',
    'engine-vulnerabilities',
    'usage',
    'disk-usage',
    'allowances',
    'pool-count',
    'unpacked-images',
    'suspensions',
  ],
];
const hinted = ['next-creates', 'ended-operation', 'instance', 'instance-quota'];
/** Runs only if the events are followed before the image is unpacked. */
const occasional = 'left-unpacking';

it('shows all reconcilers, and what they found', async () => {
  const { database, statuses } = laboratory;
  const hasRun = () => new Set(statuses().flatMap((one) => (one.last ? one.reconciler : [])));
  await until('each has run', hasRun, (seen) => regular.every((name) => seen.has(name)));
  const failed = () => statuses().filter(({ last }) => last?.outcome === 'failed');
  await until('none has failed in its last run', failed, (seen) => seen.length === 0);
  await writeStatuses(database.db, 'laboratory/1', statuses());
  const { stdout } = await toolOn(database.connectionString, 'inspect')('reconcilers');
  const lines = stdout.trim().split('\n').slice(1);
  const names = new Set(lines.map((line) => line.split(/ {2,}/)[1]));
  names.delete(occasional);
  assert.deepEqual([...names].sort(), [...regular, ...hinted].sort());
  const [sweep] = lines.filter((line) => / instances +laboratory/.test(line));
  assert.match(
    sweep ?? '',
    /^test +instances +.* succeeded +(drift \d+, )?instances 0, unconfined 0 /,
  );
});

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { toolOn } from '../service/src/testing/tool.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';

// What an operator is shown of a server whose engine answers.

const tool = new URL('../service/src/cli/inspect.ts', import.meta.url);

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory();
});
after(() => laboratory.close());

it("shows the engine's view of a server beside ours, where they differ too", async () => {
  const { database, simulator } = laboratory;
  const { serverId, operation } = await laboratory.create('seen');
  await laboratory.ended(operation.id);
  const { name } = await laboratory.server(serverId);
  const run = toolOn(database.connectionString, tool);
  const shown = async () => (await run('server', String(serverId))).stdout;
  const ours = await shown();
  assert.match(ours, /^status +started$/m);
  assert.match(ours, new RegExp(`^instance +${name}: Running$`, 'm'));
  assert.match(ours, /^addresses +\d+\.\d+\.\d+\.\d+, /m);
  assert.match(ours, /^volume +container in berth$/m);
  assert.match(ours, /^works on it +nothing$/m);
  simulator.administrator.delete(project, name);
  const theirs = await shown();
  assert.match(theirs, new RegExp(`^instance +${name}: none$`, 'm'));
  assert.match(theirs, /^volume +none$/m);
});

import assert from 'node:assert/strict';
import { query } from '../../e2e/database.ts';
import { eventually } from '../../service/src/testing/until.ts';
import { commandsRanOnce, settle } from '../chaos/verdict.ts';
import type { Seen } from './readers.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

const placesSeconds = 90;

/**
 * Throws if a scenario lost, duplicated or left something, or if something was shown incorrectly.
 * Returns seconds.
 */
export async function judge(world: World, scenario: Scenario, seen: Seen): Promise<number> {
  assert.deepEqual(seen.failed, [], 'every read was answered');
  const fine = ['started/started', ...(scenario.mayShow ?? [])];
  for (const [id, states] of seen.states) {
    const wrong = [...states].filter((state) => !fine.includes(state));
    assert.deepEqual(wrong, [], `the shown states of the server ${id}, which ran all the time`);
  }
  const settled = await settle(world, world.accepted);
  await eventually(() => serversAreWhereTheyAre(world), placesSeconds);
  await commandsRanOnce(world);
  return settled / 1000;
}

async function serversAreWhereTheyAre({ directory, client }: World): Promise<void> {
  const rows = await query<{ name: string; node: string }>(
    directory,
    `select 'srv-' || uuid as name, nodes.name as node from servers
     join nodes on nodes.id = node_id where deleted_at is null order by 1`,
  );
  const instances = await client.instances.list();
  const there = instances.map(({ name, location: node }) => ({ name, node }));
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  assert.deepEqual(rows.toSorted(byName), there.sort(byName), 'each server is on its node');
}

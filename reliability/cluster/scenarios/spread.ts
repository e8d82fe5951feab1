import assert from 'node:assert/strict';
import type { Scenario } from '../scenario.ts';
import { create, isStarted, secondsUntil, serversByMember, type World } from '../world.ts';

const perMember = 4;
const group = 'apart';
const allSeconds = 300;

async function run(world: World) {
  const { client, machines, servers } = world;
  const apart = await Promise.all(machines.map((_, i) => create(world, `apart-${i}`, group)));
  const rest = Array.from({ length: machines.length * (perMember - 1) }, (_, i) => `one-${i}`);
  const others = await Promise.all(rest.map((name) => create(world, name)));
  const all = [...apart, ...others];
  const started = await secondsUntil(allSeconds, async () => {
    for (const { id } of all) await isStarted(world, id);
  });
  for (const { id, instance } of all) servers.set(id, instance);
  const byMember = await serversByMember(world, client);
  assert.deepEqual(
    machines.map(({ name }) => byMember.get(name)?.length),
    machines.map(() => perMember),
    'each member has the same number',
  );
  for (const [member, ids] of byMember) {
    const ofGroup = apart.filter(({ id }) => ids.includes(id));
    assert.equal(ofGroup.length, 1, `one of the group is on ${member}`);
  }
  return { took: { 'all run': started } };
}

export const spread: Scenario = {
  name: 'spread',
  did: '12 servers are created at once, 3 of them in a group.',
  run,
};

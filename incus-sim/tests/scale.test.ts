import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, type Simulated, settled, simulated, start, statusOf } from './setup.ts';

const many = 10_000;

describe('very many instances', () => {
  it('are all read only by a list', async () => {
    const sim = await simulated({ timing: { create: 0, start: 0, stop: 0, delete: 0 } });
    const { client, simulator } = sim;
    await create(sim, 'first');
    const instances = simulator.model.projects.get('servers')?.instances;
    const first = instances?.get('first');
    assert.ok(instances && first);
    for (let n = 1; n < many; n += 1) instances.set(`i-${n}`, { ...first, name: `i-${n}` });
    const walks = countWalks(instances);
    await live(sim);
    assert.equal(walks(), 0);
    const listed = await client.instances.list({ timeoutSeconds: 180 });
    assert.equal(listed.length, many);
    assert.ok(walks() > 0, 'iterations are counted');
  });
});

/** Returns a function that returns how many iterations over a map have started since. */
function countWalks(map: Map<unknown, unknown>): () => number {
  let walks = 0;
  for (const name of ['values', 'keys', 'entries', 'forEach', Symbol.iterator] as const) {
    const own = map[name].bind(map) as (...args: unknown[]) => unknown;
    const counting = (...args: unknown[]) => {
      walks += 1;
      return own(...args);
    };
    Object.defineProperty(map, name, { value: counting });
  }
  return () => walks;
}

/** Creates, starts, reads, stops and deletes an instance. */
async function live(sim: Simulated): Promise<void> {
  const { instances } = sim.client;
  await create(sim, 'own');
  await start(sim, 'own');
  assert.equal(await statusOf(sim, 'own'), 'Running');
  await settled(sim.client, instances.updateState('own', { action: 'stop', force: true }));
  await settled(sim.client, instances.delete('own'));
}

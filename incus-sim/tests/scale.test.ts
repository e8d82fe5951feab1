import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, type Simulated, settled, simulated, start, statusOf } from './setup.ts';

const many = 100_000;
const lives = 40;

describe('very many instances', () => {
  it('make no request slower but a list', async () => {
    const sim = await simulated({ timing: { create: 0, start: 0, stop: 0, delete: 0 } });
    const { client, simulator } = sim;
    await create(sim, 'first');
    // Whatever is only slow at first is over then.
    await livesMs(sim);
    const alone = await livesMs(sim);
    const instances = simulator.model.projects.get('servers')?.instances;
    const first = instances?.get('first');
    assert.ok(instances && first);
    for (let n = 1; n < many; n += 1) instances.set(`i-${n}`, { ...first, name: `i-${n}` });
    const amongMany = await livesMs(sim);
    // To look at each of them once would cost a life about 10 ms more.
    const report = `${alone} ms alone, ${amongMany} ms among ${many}`;
    assert.ok(amongMany < alone * 2 + lives * 5, report);
    const listed = await client.instances.list({ timeoutSeconds: 60 });
    assert.equal(listed.length, many);
  });
});

/** For instances that are made, started, looked at, stopped and deleted one after the other. */
async function livesMs(sim: Simulated): Promise<number> {
  const { instances } = sim.client;
  const begun = performance.now();
  for (let n = 0; n < lives; n += 1) {
    const name = `own-${n}`;
    await create(sim, name);
    await start(sim, name);
    assert.equal(await statusOf(sim, name), 'Running');
    await settled(sim.client, instances.updateState(name, { action: 'stop', force: true }));
    await settled(sim.client, instances.delete(name));
  }
  return performance.now() - begun;
}

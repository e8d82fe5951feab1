import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failsWith } from '../contract/assertions.ts';
import {
  askSimulator,
  create,
  follow,
  hasDisk,
  type Simulated,
  simulated,
  start,
  statusOf,
  until,
} from './setup.ts';

const control = (
  { simulator }: Simulated,
  method: 'POST' | 'DELETE',
  path: string,
  body?: object,
) => askSimulator(simulator.socketPath, method, path, body);

describe('the control endpoint', () => {
  it('sets and removes faults', async () => {
    const sim = await simulated();
    const fault = { kind: 'error', path: '^/1.0', text: 'no', status: 503 };
    assert.equal(await control(sim, 'POST', 'faults', fault), 200);
    await assert.rejects(sim.client.server.info(), failsWith('unreachable'));
    assert.equal(await control(sim, 'DELETE', 'faults'), 200);
    await sim.client.server.info();
  });

  it('refuses a fault of an unknown kind', async () => {
    const sim = await simulated();
    assert.equal(await control(sim, 'POST', 'faults', { kind: 'frob' }), 400);
  });

  it('has everything that the functions have', async () => {
    const sim = await simulated({ members: ['a', 'b'] });
    const { client } = sim;
    await create(sim, 'x', 'b');
    assert.equal(await control(sim, 'POST', 'pools/disks', { full: true }), 200);
    await assert.rejects(create(sim, 'y'), failsWith('no_space'));
    assert.equal(await control(sim, 'POST', 'guests/x', { neverBoots: true }), 200);
    await start(sim, 'x');
    assert.equal(
      await control(sim, 'POST', 'instances/x?project=servers', { action: 'freeze' }),
      200,
    );
    assert.equal(await statusOf(sim, 'x'), 'Frozen');
    const rename = { action: 'rename', name: 'z' };
    assert.equal(await control(sim, 'POST', 'instances/x?project=servers', rename), 200);
    assert.equal(await hasDisk(sim, 'z'), true);
    assert.equal(await control(sim, 'POST', 'members/b', { down: true }), 200);
    await assert.rejects(client.instances.get('z'), failsWith('unreachable'));
    assert.equal(await control(sim, 'POST', 'image-servers', { host: 'i.example' }), 200);
    assert.ok(sim.simulator.faults.imageServers.has('i.example'));
    assert.equal(await control(sim, 'POST', 'timing', { shutdown: 5 }), 200);
    assert.equal(await control(sim, 'POST', 'events', { lose: 1 }), 200);
    const { connections } = await follow(sim);
    assert.equal(await control(sim, 'POST', 'daemon', { absentMs: 50 }), 200);
    await until(() => connections.length === 2);
  });

  it('reports what does not exist', async () => {
    const sim = await simulated();
    assert.equal(await control(sim, 'POST', 'pools/none', { full: true }), 404);
    assert.equal(await control(sim, 'POST', 'instances/none', { action: 'start' }), 404);
    assert.equal(await control(sim, 'POST', 'instances/none', { action: 'dance' }), 400);
  });
});

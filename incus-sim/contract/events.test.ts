import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operationInstances } from '../../service/src/incus/operations.ts';
import { failsWith } from './assertions.ts';
import { follow, isLifecycle } from './follow.ts';
import { createInstance, powerCut, removeAfterwards, settled, shutDown, start } from './guests.ts';
import { newName, until, useTarget } from './target.ts';

const target = useTarget();

// They run concurrently, since each mostly waits for its own instance.
describe('events', { concurrency: true }, () => {
  it('have the changes of an instance in order, in its project only', async () => {
    const { client, administrator, names } = target;
    const seen = await follow(target);
    const elsewhere = await follow(target, 'default');
    const { name } = await createInstance(target, 'events');
    const renamed = newName('events-renamed');
    removeAfterwards(target, renamed);
    const restart = { action: 'restart', force: true } as const;
    const acts: [word: string, act: () => Promise<unknown>][] = [
      ['started', () => start(target, name)],
      ['restarted', () => settled(client, client.instances.updateState(name, restart))],
      ['paused', () => administrator.freeze(name)],
      ['resumed', () => administrator.unfreeze(name)],
      ['stopped', () => powerCut(target, name)],
      ['renamed', () => administrator.rename(name, renamed)],
      ['deleted', () => settled(client, client.instances.delete(renamed))],
    ];
    const actions = () =>
      seen
        .filter(isLifecycle)
        .filter(({ instance }) => instance === name || instance === renamed)
        .map(({ action }) => action);
    const expected = ['instance-created'];
    for (const [word, act] of acts) {
      await act();
      expected.push(`instance-${word}`);
      // Each is sent by a separate thread, so the order may change.
      await until(expected.join(', '), 30, () => actions().length >= expected.length);
      assert.deepEqual(actions(), expected);
    }
    const last = seen.filter(isLifecycle).findLast(({ instance }) => instance === renamed);
    assert.equal(last?.project, names.project);
    assert.equal(last?.location, 'none');
    assert.equal(last?.source, `/1.0/instances/${renamed}?project=${names.project}`);
    assert.ok(Math.abs(Date.parse(last?.timestamp ?? '') - Date.now()) < 60_000);
    assert.deepEqual(
      elsewhere.filter(isLifecycle).filter(({ instance }) => instance !== undefined),
      [],
    );
  });

  it('show the beginning and end of an operation', async () => {
    const seen = await follow(target);
    const { client } = target;
    const { name } = await createInstance(target, 'operation-events');
    const first = await client.instances.updateState(name, { action: 'start' });
    await settled(client, Promise.resolve(first));
    const second = await client.instances.updateState(name, { action: 'start' });
    await assert.rejects(settled(client, Promise.resolve(second)), failsWith('busy'));
    const eventsOf = (id: string) =>
      seen.flatMap((event) =>
        event.type === 'operation' && event.operation.id === id ? [event.operation] : [],
      );
    for (const [{ id }, end] of [
      [first, 'Success'],
      [second, 'Failure'],
    ] as const) {
      await until('its three events', 30, () => eventsOf(id).length === 3);
      // Incus sends them from several threads, so their order is undefined. The event of the start
      // shows the end if the operation ended first.
      const statuses = eventsOf(id).map(({ status }) => status);
      const begun = statuses.includes('Running') ? 'Running' : end;
      assert.deepEqual(statuses.sort(), ['Pending', begun, end].sort());
      for (const operation of eventsOf(id)) {
        assert.equal(operation.description, 'Starting instance');
        assert.deepEqual(operationInstances(operation), [name]);
      }
    }
  });

  it('report the end of a guest as the result of a shutdown', async () => {
    const { client } = target;
    const seen = await follow(target);
    const { name, devices } = await createInstance(target, 'shutdown');
    await start(target, name);
    await until('its address is up', 60, async () => {
      const state = await client.instances.getState(name);
      const addresses = state?.network?.eth0?.addresses ?? [];
      return addresses.some(({ address }) => address === devices.eth0?.['ipv4.address']);
    });
    await shutDown(target, name, 60);
    assert.equal((await client.instances.get(name))?.status, 'Stopped');
    const own = () => seen.filter(isLifecycle).filter(({ instance }) => instance === name);
    await until('the last event', 30, () => own().length === 3);
    const actions = own().map(({ action }) => action);
    assert.deepEqual(actions, ['instance-created', 'instance-started', 'instance-shutdown']);
  });
});

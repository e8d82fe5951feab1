import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { eventually, until } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isRecordedAs, runningServer } from './servers.ts';
import { throughout } from './waiting.ts';

// Tests what the sync of all instances finds, and which results it must not trust.

const sweepMilliseconds = 300;
const longerThanBothReadingsMs = 3500;

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ sweepMilliseconds });
});
after(() => laboratory.close());

describe('a sweep', () => {
  it('finds changes whose events were lost', async () => {
    const stopped = await runningServer(laboratory, 'lost-stop');
    const deleted = await runningServer(laboratory, 'lost-delete');
    const { administrator, disturbEvents } = laboratory.simulator;
    disturbEvents({ lose: 1000 });
    administrator.stop(project, stopped.name);
    administrator.delete(project, deleted.name);
    await eventually(() => isRecordedAs(laboratory, stopped.id, 'stopped'));
    await eventually(() => isRecordedAs(laboratory, deleted.id, 'error'));
    administrator.start(project, stopped.name);
    await eventually(() => isRecordedAs(laboratory, stopped.id, 'started'));
    disturbEvents({ lose: 0 });
  });

  it('removes the remains of a deleted server, and nothing else', async () => {
    const { client } = laboratory;
    const { id, name } = await runningServer(laboratory, 'came-through-late');
    const made = await client.instances.get(name);
    assert.ok(made);
    await succeeds(laboratory, await laboratory.request(id, 'delete'));
    const { config, devices } = made;
    const label = (changes: Record<string, string>) => ({ ...config, ...changes });
    const others = {
      'of-nobody': label({ 'user.berth.server': randomUUID() }),
      'of-somebody-else': label({ 'user.berth.installation': randomUUID() }),
      'without-a-label': {},
    };
    for (const [other, itsConfig] of Object.entries({ ...others, [name]: config })) {
      await make(other, itsConfig, other === name ? devices : rootOnly(devices));
    }
    await eventually(async () => assert.equal(await client.instances.get(name), null));
    await throughout(3 * sweepMilliseconds, async () => {
      const names = (await client.instances.list()).map((instance) => instance.name);
      for (const other of Object.keys(others)) assert.ok(names.includes(other), other);
    });
  });
});

/** The devices without the NIC, because no other instance can have the addresses of a server. */
const rootOnly = ({ root }: Record<string, Record<string, string>>) => ({ root: root ?? {} });

async function make(
  name: string,
  config: Record<string, string>,
  devices: Record<string, Record<string, string>>,
) {
  const { client } = laboratory;
  const source = { type: 'image', alias: 'berth-debian-12' } as const;
  const what = { name, type: 'container', source, config, devices, profiles: [] } as const;
  const { id } = await client.instances.create({ ...what, profiles: [] });
  await client.operations.wait(id, { timeoutSeconds: 60 });
}

/**
 * Waits until `isMisled`, which says that the engine has given its wrong answer, and then checks for a while that it is
 * `started` all the time, even between two checks of the instance.
 */
async function staysStarted(id: number, isMisled = () => true): Promise<void> {
  const { since } = await laboratory.server(id);
  await until('the engine has given a wrong answer', isMisled);
  await throughout(longerThanBothReadingsMs, () => isRecordedAs(laboratory, id, 'started'));
  assert.equal((await laboratory.server(id)).since, since);
}

describe('an instance is not gone because', { concurrency: true }, () => {
  it('a list missed it once', async () => {
    const { id, name } = await runningServer(laboratory, 'left-out');
    await staysStarted(id, leaveOutOnce(name));
  });

  it('it was not found once', async () => {
    const { id, name } = await runningServer(laboratory, 'not-found');
    const { administrator, faults } = laboratory.simulator;
    const notFound = { kind: 'error', text: 'Instance not found', status: 404, times: 1 } as const;
    const once = { ...notFound, method: 'GET', path: `/instances/${name}$` };
    let takeBack = faults.add(once);
    // If it is still to come, it is added again before any request can be received.
    const isUsedUp = () => {
      if (!takeBack()) return true;
      takeBack = faults.add(once);
      return false;
    };
    // Nothing has changed in the end, but the event triggers a check.
    administrator.freeze(project, name);
    administrator.unfreeze(project, name);
    await staysStarted(id, isUsedUp);
  });

  it('the engine answers with errors', async () => {
    const { id, name } = await runningServer(laboratory, 'errors');
    const { administrator, faults } = laboratory.simulator;
    const error = {
      kind: 'error',
      method: 'GET',
      text: 'database is on fire',
      status: 500,
    } as const;
    const takeBack = faults.add({ ...error, path: `/instances/${name}$` });
    faults.add({ ...error, path: '/instances$', times: 2 });
    administrator.delete(project, name);
    await staysStarted(id);
    takeBack();
    await eventually(() => isRecordedAs(laboratory, id, 'error'));
  });
});

/** Omits the instance from the next list of instances. The returned function returns whether that was requested. */
function leaveOutOnce(name: string): () => boolean {
  const instances = laboratory.simulator.model.projects.get(project)?.instances;
  assert.ok(instances);
  let isDone = false;
  instances.values = () => {
    isDone = true;
    // Restores the method that every Map has.
    Reflect.deleteProperty(instances, 'values');
    return [...instances.values()].filter((instance) => instance.name !== name).values();
  };
  return () => isDone;
}

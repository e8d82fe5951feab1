import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StateChange } from '../incus/instances.ts';
import { isUnderWay, operationInstances } from '../incus/operations.ts';
import { startConsoleServices } from '../testing/consoles.ts';
import { until } from '../testing/until.ts';

const { incus, simulator, open, startServer, nameOf } = await startConsoleServices();

/** As somebody else does, with the tools of Incus. */
async function act(id: number, change: StateChange): Promise<void> {
  const { id: operation } = await incus.instances.updateState(await nameOf(id), change);
  await incus.operations.wait(operation, { timeoutSeconds: 60 });
}

/** How many operations of Incus show the console of a server. */
async function shownIn(id: number): Promise<number> {
  const name = await nameOf(id);
  const operations = await incus.operations.list();
  return operations.filter(
    (one) =>
      one.description === 'Showing console' &&
      isUnderWay(one) &&
      operationInstances(one).includes(name),
  ).length;
}

describe('the end of the run of a guest', () => {
  test('somebody else restarts it: its console ends for all, is left nowhere in Incus, and then shows the next run', async () => {
    const id = await startServer();
    const viewers = [await open(id), await open(id)];
    for (const viewer of viewers) await viewer.shows(/login: $/);
    viewers[0]?.type('before');
    await viewers[1]?.shows(/before$/);
    assert.equal(await shownIn(id), 1);
    await act(id, { action: 'restart', force: true });
    const end = { code: 1000, reason: "The guest's console has ended." };
    for (const { closed } of viewers) assert.deepEqual(await closed, end);
    await until('nothing shows it', async () => (await shownIn(id)) === 0);
    const again = await open(id);
    await again.shows(/login: $/);
    again.type('after');
    await again.shows(/login: after$/);
    assert.doesNotMatch(again.text(), /before/);
  });

  test('somebody else stops it: its console ends, and says so', async () => {
    const id = await startServer();
    const viewer = await open(id);
    await viewer.shows(/login: $/);
    await act(id, { action: 'stop', force: true });
    assert.deepEqual(await viewer.closed, { code: 1000, reason: 'The server was stopped.' });
    await until('nothing shows it', async () => (await shownIn(id)) === 0);
  });

  test('a console goes on while its guest is paused, and while the engine does not tell whether that runs', async () => {
    const id = await startServer();
    const viewer = await open(id);
    await viewer.shows(/login: $/);
    const looks = { method: 'GET', path: `/instances/${await nameOf(id)}$` };
    /** A look at the guest begins, and fails if so. */
    const isLookedAt = async (fails: boolean) => {
      const goOn = simulator.faults.add({ kind: 'delay', ...looks, ms: 600_000 });
      const text = 'database is locked';
      if (fails) simulator.faults.add({ kind: 'error', ...looks, text, status: 500, times: 1 });
      await until('a look has begun', simulator.faults.delayed, (count) => count === 1);
      goOn();
    };
    await act(id, { action: 'freeze' });
    for (let times = 0; times < 2; times += 1) await isLookedAt(false);
    await act(id, { action: 'unfreeze' });
    for (let times = 0; times < 3; times += 1) await isLookedAt(true);
    viewer.type('still here');
    await viewer.shows(/still here$/);
    await act(id, { action: 'restart', force: true });
    assert.equal((await viewer.closed).code, 1000);
  });
});

test('a guest that prints is read after its last viewer has left, until it has stopped', async () => {
  const id = await startServer();
  const last = await open(id);
  for (const [shown, typed] of [
    ['login: ', 'root'],
    ['Password: ', 'secret'],
    ['$ ', `yes | head -c ${2 ** 20}`],
  ]) {
    await until(`it shows ${shown}`, () => last.text().endsWith(shown ?? ''));
    last.type(`${typed}\r`);
  }
  await last.shows(/\ny\r\n/);
  last.socket.close();
  await last.closed;
  assert.equal(await shownIn(id), 1);
  await until('nothing shows it', async () => (await shownIn(id)) === 0);
  const later = await open(id);
  await later.shows(/\ny\r\n\S+\$ $/);
});

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isRecordedAs, runningServer } from './servers.ts';

// Tests changes of instances by hand that are only noticed by events, without sweeps.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ sweepMilliseconds: 24 * 3_600_000 });
});
after(() => laboratory.close());

async function isShown(id: number, status: string): Promise<void> {
  await eventually(() => isRecordedAs(laboratory, id, status));
}

async function isInError(id: number, reason: RegExp): Promise<void> {
  await eventually(() => isRecordedAs(laboratory, id, 'error', reason));
}

describe('a server whose instance somebody else', () => {
  it('stops, starts, pauses and resumes has that status', async () => {
    const { id, name } = await runningServer(laboratory, 'by-hand');
    const { administrator } = laboratory.simulator;
    administrator.stop(project, name);
    await isShown(id, 'stopped');
    administrator.start(project, name);
    await isShown(id, 'started');
    administrator.freeze(project, name);
    await isShown(id, 'paused');
    administrator.unfreeze(project, name);
    await isShown(id, 'started');
    administrator.powerOffInside(project, name);
    await isShown(id, 'stopped');
  });

  it('renames is in error until it has its name again', async () => {
    const { id, name } = await runningServer(laboratory, 'renamed');
    const { administrator } = laboratory.simulator;
    administrator.stop(project, name);
    administrator.rename(project, name, 'other-name');
    await isInError(id, /no longer exists in the engine, which has lost it.*Rebuild the server/);
    administrator.rename(project, 'other-name', name);
    await isShown(id, 'stopped');
    administrator.start(project, name);
    await isShown(id, 'started');
  });

  it('deletes is in error, and can be deleted', async () => {
    const { id, name } = await runningServer(laboratory, 'deleted');
    laboratory.simulator.administrator.delete(project, name);
    await isInError(id, /no longer exists in the engine, which has lost it.*Rebuild the server/);
    await succeeds(laboratory, await laboratory.request(id, 'delete'));
    assert.ok((await laboratory.server(id)).isDeleted);
  });
});

it('duplicate events, and events in the wrong order, have the right result', async () => {
  const { id, name } = await runningServer(laboratory, 'disturbed');
  const { administrator, disturbEvents } = laboratory.simulator;
  // The event of the first action is delayed until that of the second has arrived.
  const ends = { stop: 'stopped', start: 'started', freeze: 'paused' } as const;
  for (const [last, status] of Object.entries(ends)) {
    disturbEvents({ swap: 1, duplicate: 2 });
    administrator[last === 'start' ? 'stop' : 'start'](project, name);
    administrator[last as keyof typeof ends](project, name);
    await isShown(id, status);
  }
  disturbEvents({ swap: 1, duplicate: 2 });
  administrator.unfreeze(project, name);
  administrator.delete(project, name);
  await isInError(id, /no longer exists/);
});

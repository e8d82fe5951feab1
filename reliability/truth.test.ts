import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Laboratory, openLaboratory, runningServer, succeeds, within } from './laboratory.ts';

// What is done to instances by hand, told by events alone: nothing is swept meanwhile.

const project = 'berth';
const seenMs = 2000;
/** Two readings must agree. */
const absentMs = 5000;

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory();
});
after(() => laboratory.close());

async function isShown(id: number, status: string, error: RegExp | null, ms = seenMs) {
  await within(ms, async () => {
    const now = await laboratory.server(id);
    assert.equal(now.status, status);
    if (error) assert.match(now.error ?? '', error);
    else assert.equal(now.error, null);
  });
}

describe('a server whose instance somebody else', () => {
  it('stops, starts, pauses and lets go on is shown so', async () => {
    const { id, name } = await runningServer(laboratory, 'by-hand');
    const { administrator } = laboratory.simulator;
    administrator.stop(project, name);
    await isShown(id, 'stopped', null);
    administrator.start(project, name);
    await isShown(id, 'started', null);
    administrator.freeze(project, name);
    await isShown(id, 'paused', null);
    administrator.unfreeze(project, name);
    await isShown(id, 'started', null);
    administrator.powerOffInside(project, name);
    await isShown(id, 'stopped', null);
  });

  it('renames is in error until it has its name again', async () => {
    const { id, name } = await runningServer(laboratory, 'renamed');
    const { administrator } = laboratory.simulator;
    administrator.stop(project, name);
    administrator.rename(project, name, 'other-name');
    await isShown(id, 'error', /no longer exists in the engine.*Delete the server/, absentMs);
    administrator.rename(project, 'other-name', name);
    await isShown(id, 'stopped', null);
    administrator.start(project, name);
    await isShown(id, 'started', null);
  });

  it('deletes is in error, and can be deleted', async () => {
    const { id, name } = await runningServer(laboratory, 'deleted');
    laboratory.simulator.administrator.delete(project, name);
    await isShown(id, 'error', /no longer exists in the engine.*Delete the server/, absentMs);
    await succeeds(laboratory, await laboratory.request(id, 'delete'));
    assert.ok((await laboratory.server(id)).isDeleted);
  });
});

it('events that come twice, and in the wrong order, leave the truth', async () => {
  const { id, name } = await runningServer(laboratory, 'disturbed');
  const { administrator, disturbEvents } = laboratory.simulator;
  // The event of the first act is held back until the one of the second has come.
  const ends = { stop: 'stopped', start: 'started', freeze: 'paused' } as const;
  for (const [last, status] of Object.entries(ends)) {
    disturbEvents({ swap: 1, duplicate: 2 });
    administrator[last === 'start' ? 'stop' : 'start'](project, name);
    administrator[last as keyof typeof ends](project, name);
    await isShown(id, status, null);
  }
  disturbEvents({ swap: 1, duplicate: 2 });
  administrator.unfreeze(project, name);
  administrator.delete(project, name);
  await isShown(id, 'error', /no longer exists/, absentMs);
});

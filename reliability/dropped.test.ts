import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Laboratory, openLaboratory, type PlainAction } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isWhole, nothingIsLeft, runningServer } from './servers.ts';

// Tests connections that are closed without a response, so that it is unknown whether the request
// was carried out.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory();
});
after(() => laboratory.close());

interface Call {
  method: string;
  /** The path, in which NAME stands for the name of the instance. */
  path: string;
}

const state = { method: 'PUT', path: '/NAME/state$' };

/** Every request that changes something, and the step that sends it. */
const creating: Call[] = [
  { method: 'POST', path: '/instances$' },
  { method: 'POST', path: '/NAME/files$' },
  state,
  { method: 'DELETE', path: '/NAME/files$' },
];
const acting: [Call, PlainAction][] = [
  [state, 'stop'],
  [state, 'start'],
  [state, 'restart'],
  [state, 'delete'],
  [{ method: 'DELETE', path: '/NAME$' }, 'delete'],
];

const moments = ['before', 'after'] as const;

function drop({ method, path }: Call, when: (typeof moments)[number], name: string) {
  const ofName = path.replace('NAME', name);
  const fault = { kind: 'drop', method, path: ofName, when, times: 1 } as const;
  const takeBack = laboratory.simulator.faults.add(fault);
  return () => assert.equal(takeBack(), false, 'the connection was dropped');
}

async function act(id: number, action: PlainAction): Promise<void> {
  await succeeds(laboratory, await laboratory.request(id, action));
}

describe('a create succeeds, without duplicates, when a connection is dropped', () => {
  for (const call of creating) {
    for (const when of moments) {
      it(`${when} the effect of ${call.method} ${call.path}`, async () => {
        const wasDropped = drop(call, when, '[^/]+');
        const { id } = await runningServer(laboratory, 'created');
        wasDropped();
        await isWhole(laboratory, id);
        await act(id, 'delete');
        await nothingIsLeft(laboratory, id);
      });
    }
  }
});

const atOnce = { concurrency: true };

describe('an action succeeds when a connection is dropped', atOnce, () => {
  for (const [call, action] of acting) {
    for (const when of moments) {
      it(`${when} the effect of a ${action}'s ${call.method} ${call.path}`, async () => {
        const { id, name } = await runningServer(laboratory, `${action}-${when}`);
        if (action === 'start') await act(id, 'stop');
        const wasDropped = drop(call, when, name);
        await act(id, action);
        wasDropped();
        if (action !== 'delete') {
          await isWhole(laboratory, id, action === 'stop' ? 'stopped' : 'started');
          await act(id, 'delete');
        }
        await nothingIsLeft(laboratory, id);
      });
    }
  }
});

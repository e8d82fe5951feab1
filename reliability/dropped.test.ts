import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Action } from '../service/src/servers/states.ts';
import {
  isWhole,
  type Laboratory,
  nothingIsLeft,
  openLaboratory,
  runningServer,
  succeeds,
} from './laboratory.ts';

// A connection that closes without an answer: nobody knows whether what was asked for is done.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory();
});
after(() => laboratory.close());

interface Call {
  method: string;
  path: string;
}

const stateOf = { method: 'PUT', path: '/state$' };
const files = '/files$';

/** Every call that changes something, and what makes it. */
const calls: [Call, 'create' | Action][] = [
  [{ method: 'POST', path: '/instances$' }, 'create'],
  [{ method: 'POST', path: files }, 'create'],
  [stateOf, 'create'],
  [{ method: 'DELETE', path: files }, 'create'],
  [stateOf, 'stop'],
  [stateOf, 'start'],
  [stateOf, 'restart'],
  [stateOf, 'delete'],
  [{ method: 'DELETE', path: '/instances/[^/]+$' }, 'delete'],
];

let servers = 0;

for (const [call, action] of calls) {
  describe(`a ${action} whose ${call.method} ${call.path} gets no answer`, () => {
    for (const when of ['before', 'after'] as const) {
      it(`${when} its effect succeeds, and nothing is doubled`, async () => {
        servers += 1;
        const drop = () =>
          laboratory.simulator.faults.add({ kind: 'drop', ...call, when, times: 1 });
        let takeBack = action === 'create' ? drop() : undefined;
        const { id } = await runningServer(laboratory, `dropped-${servers}`);
        if (action === 'start') await succeeds(laboratory, await laboratory.request(id, 'stop'));
        takeBack ??= drop();
        if (action !== 'create') await succeeds(laboratory, await laboratory.request(id, action));
        assert.equal(takeBack(), false, 'it was dropped');
        if (action !== 'delete') {
          await isWhole(laboratory, id, action === 'stop' ? 'stopped' : 'started');
          await succeeds(laboratory, await laboratory.request(id, 'delete'));
        }
        await nothingIsLeft(laboratory, id);
      });
    }
  });
}

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { operationKinds } from '../service/src/operation-kinds.ts';
import type { OperationKind } from '../service/src/operations/define.ts';
import type { ServerStepContext } from '../service/src/servers/define-operation.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

// Tests more creates than a node runs at once, with two workers.

const creates = 30;
const places = 3;
/** When waiting creates poll here: later than the test waits for them, so that each must be notified. */
const lookSeconds = 600;

interface Sight {
  what: 'begins' | 'leaves';
  id: number;
}

const sights: Sight[] = [];
const waits = 'queue';
const first = 'image';
const last = 'boot';

/** Records when a create begins, when its guest runs its commands, and the messages of the waiting creates. */
function watched(kind: OperationKind): OperationKind {
  if (kind.subject === 'node' || kind.kind !== 'create') return kind;
  const steps = Object.entries(kind.steps).map(([name, step]) => {
    const run = async (context: ServerStepContext<Record<string, unknown>>) => {
      const { id } = context.operation;
      if (name === first) sights.push({ what: 'begins', id });
      const result = await step.run(context);
      if (name === last && result.outcome === 'next') sights.push({ what: 'leaves', id });
      const isWaiting = name === waits && result.outcome === 'wait';
      return isWaiting ? { ...result, seconds: lookSeconds } : result;
    };
    return [name, { ...step, run }] as const;
  });
  return { ...kind, steps: Object.fromEntries(steps) };
}

let laboratory: Laboratory;
before(async () => {
  const kinds = operationKinds.map(watched);
  laboratory = await openLaboratory({ kinds, createsPerNode: places });
});
after(() => laboratory.close());

it('creates begin in the order of their requests, a few at once, each as soon as possible', async () => {
  const ids: number[] = [];
  while (ids.length < creates) {
    ids.push((await laboratory.create(`create-${ids.length}`)).operation.id);
  }
  for (const id of ids) {
    const { status, message } = await laboratory.ended(id);
    assert.equal(status, 'succeeded', message);
  }
  let under = 0;
  for (const { what } of sights) {
    under += what === 'begins' ? 1 : -1;
    assert.ok(under <= places, `${under} at once`);
  }
  const begun = sights.flatMap(({ what, id }) => (what === 'begins' ? [id] : []));
  assert.equal(begun.length, creates);
  // Creates that can begin at the same time can begin in any order.
  for (const [at, id] of begun.entries()) {
    const before = ids.filter((other) => other < id && !begun.slice(0, at).includes(other));
    assert.ok(before.length < places, `${id} began before ${before}`);
  }
});

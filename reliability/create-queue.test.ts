import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { OperationKind, StepContext } from '../service/src/operations/define.ts';
import { operationKinds } from '../service/src/operations/kinds.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

// More creates than a node takes at once, on two workers. Those that wait look by themselves each 30 s.

const creates = 30;
const places = 3;
/** Of what they wait by themselves: whoever is not told begins later. */
const withinMs = 15_000;

interface Sight {
  what: 'begins' | 'leaves';
  id: number;
  at: number;
}

const sights: Sight[] = [];
const first = 'clear';
const last = 'boot';

/** Notes when a create begins, and when its guest works by itself. */
function watched(kind: OperationKind): OperationKind {
  if (kind.subject === 'node' || kind.kind !== 'create') return kind;
  const steps = Object.entries(kind.steps).map(([name, step]) => {
    const run = async (context: StepContext<Record<string, unknown>>) => {
      const note = (what: Sight['what']) =>
        sights.push({ what, id: context.operation.id, at: performance.now() });
      if (name === first) note('begins');
      const result = await step.run(context);
      if (name === last && result.outcome === 'next') note('leaves');
      return result;
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

it('creates begin in the order they were asked for, a few at once, each as soon as it may', async () => {
  const ids: number[] = [];
  while (ids.length < creates) {
    ids.push((await laboratory.create(`create-${ids.length}`)).operation.id);
  }
  for (const id of ids) {
    const { status, message } = await laboratory.ended(id);
    assert.equal(status, 'succeeded', message);
  }
  let under = 0;
  let freeSince = 0;
  for (const { what, id, at } of sights) {
    under += what === 'begins' ? 1 : -1;
    assert.ok(under <= places, `${under} at once`);
    if (what === 'leaves') freeSince = at;
    else if (freeSince > 0) assert.ok(at - freeSince < withinMs, `${id} was not woken`);
  }
  const begun = sights.flatMap(({ what, id }) => (what === 'begins' ? [id] : []));
  assert.equal(begun.length, creates);
  // Those that may begin at once may overtake each other.
  for (const [at, id] of begun.entries()) {
    const before = ids.filter((other) => other < id && !begun.slice(0, at).includes(other));
    assert.ok(before.length < places, `${id} began before ${before}`);
  }
});

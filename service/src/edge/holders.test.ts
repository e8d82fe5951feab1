import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createConnectionCounts } from './holders.ts';
import '../testing/fixed-seed.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd');
const which = fc.nat({ max: 30 });
const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), name, which }) },
  fc.record({ kind: fc.constantFrom('remove' as const, 'work' as const, 'rest' as const), which }),
);

interface Known {
  name: string;
  /** The time at which it became idle; undefined while it works. */
  idleSince: number | undefined;
}

test('the result is the same as that of a search through all connections', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 100 }), fc.nat({ max: 5 }), (acts, count) => {
      const holders = createConnectionCounts<number>();
      const all = new Map<number, Known>();
      for (const [now, { kind, which: id, ...to }] of acts.entries()) {
        const known = all.get(id);
        if (kind === 'add') {
          if (known || !('name' in to)) continue;
          holders.add(id, to.name);
          all.set(id, { name: to.name, idleSince: now });
        } else if (kind === 'remove') {
          assert.equal(holders.remove(id), all.delete(id));
        } else {
          holders[kind](id);
          if (kind === 'work' && known) known.idleSince = undefined;
          if (kind === 'rest' && known) known.idleSince ??= now;
        }
        look(holders, all, count);
      }
    }),
  );
});

function look(
  holders: ReturnType<typeof createConnectionCounts<number>>,
  all: Map<number, Known>,
  count: number,
) {
  const held = (by: string) => [...all.values()].filter((known) => known.name === by).length;
  assert.equal(holders.count, all.size);
  for (const one of ['a', 'b', 'c', 'd']) assert.equal(holders.countOf(one), held(one));
  const idle = [...all].filter(([, { idleSince }]) => idleSince !== undefined);
  const most = Math.max(0, ...idle.map(([, known]) => held(known.name)));
  const found = holders.longestIdle(count);
  if (most <= count) {
    assert.equal(found, undefined);
    return;
  }
  const holder = all.get(found ?? -1)?.name ?? '';
  assert.equal(held(holder), most);
  const [longest] = idle
    .filter(([, known]) => known.name === holder)
    .sort(([, a], [, b]) => Number(a.idleSince) - Number(b.idleSince));
  assert.equal(found, longest?.[0]);
}

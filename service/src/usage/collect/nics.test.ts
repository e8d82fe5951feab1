import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type NicReading, Nics, nicOf } from './nics.ts';
import '../../testing/fixed-seed.ts';

const begun = '2026-11-21T11:00:00.123456789Z';

test('a NIC has the interface and the start that its run names', () => {
  const run = `veth1a2b3c4d ${begun}`;
  const startedAt = new Date('2026-11-21T11:00:00.123Z');
  assert.deepEqual(nicOf(run), { hostName: 'veth1a2b3c4d', run, startedAt });
  assert.ok(Number.isNaN(nicOf('veth1a2b3c4d never').startedAt.getTime()));
});

const name = fc.integer({ min: 0, max: 40 }).map((number) => `srv-${number}`);
const reading: fc.Arbitrary<NicReading> = fc
  .record({
    host: fc.constantFrom('veth1', 'veth2', 'tap3'),
    networkIn: fc.maxSafeNat(),
    networkOut: fc.maxSafeNat(),
  })
  .map(({ host, ...counters }) => ({ ...nicOf(`${host} ${begun}`), ...counters }));
const act = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      name,
      reading: fc.option(reading, { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), name }) },
);

test('whatever happens, the NICs are those that a Map of objects has, in its order', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 150, size: 'max' }), (acts) => {
      const nics = new Nics();
      const expected = new Map<string, NicReading | undefined>();
      for (const one of acts) {
        if (one.kind === 'set') {
          nics.set(one.name, one.reading);
          expected.set(one.name, one.reading);
        } else {
          nics.delete(one.name);
          expected.delete(one.name);
        }
      }
      assert.deepEqual([...nics.keys()], [...expected.keys()]);
      for (const { name: of } of acts) {
        assert.equal(nics.has(of), expected.has(of));
        assert.deepEqual(nics.get(of), expected.get(of));
      }
    }),
  );
});

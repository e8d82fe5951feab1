import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CountedServer, CountedServers } from './counted-servers.ts';
import '../../testing/fixed-seed.ts';

const server: CountedServer = {
  id: 7,
  cores: 2,
  disk: { gb: 1.5, at: 1_700_000_000_000 },
  nodeId: 3,
  foundIn: -4,
  recorded: 12,
  at: 1_700_000_015_000,
  cpuSeconds: 0.25,
  diskRead: Number.MAX_SAFE_INTEGER,
  diskWritten: 0,
};
const unknown = { disk: undefined, diskRead: null, diskWritten: null };

const count = fc.maxSafeNat();
const figure = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
const uuid = fc.integer({ min: 0, max: 60 }).map((number) => `server ${number}`);
const nodeId = fc.integer({ min: 0, max: 3 });
const recorded = fc.integer({ min: 0, max: 3 });
/** With the prototype that `assert` compares. */
const plain = { noNullPrototype: true };
const anyServer: fc.Arbitrary<CountedServer> = fc.record(
  {
    id: count,
    cores: fc.integer({ min: 1, max: 512 }),
    disk: fc.option(fc.record({ gb: figure, at: count }, plain), { nil: undefined }),
    nodeId,
    foundIn: fc.integer({ min: -20, max: 1_000_000 }),
    recorded,
    at: count,
    cpuSeconds: figure,
    diskRead: fc.option(count),
    diskWritten: fc.option(count),
  },
  plain,
);
const act = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.record({ kind: fc.constant('set' as const), uuid, server: anyServer }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('delete' as const), uuid }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('delete unreported' as const),
      nodeIds: fc.uniqueArray(nodeId),
      recorded,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
);

function deleteUnreported(
  from: Map<string, CountedServer>,
  nodeIds: readonly number[],
  record: number,
) {
  for (const [name, one] of from)
    if (nodeIds.includes(one.nodeId) && one.recorded !== record) from.delete(name);
}

test('whatever happens, the servers are those that a Map of objects has', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 200, size: 'max' }), (acts) => {
      const servers = new CountedServers();
      const expected = new Map<string, CountedServer>();
      const names = new Set(acts.flatMap((one) => ('uuid' in one ? [one.uuid] : [])));
      for (const one of acts) {
        if (one.kind === 'set') {
          servers.set(one.uuid, one.server);
          expected.set(one.uuid, one.server);
        }
        if (one.kind === 'delete') {
          servers.delete(one.uuid);
          expected.delete(one.uuid);
        }
        if (one.kind === 'delete unreported') {
          servers.deleteUnreported(new Set(one.nodeIds), one.recorded);
          deleteUnreported(expected, one.nodeIds, one.recorded);
        }
        if (one.kind === 'clear') {
          servers.clear();
          expected.clear();
        }
        assert.equal(servers.size, expected.size);
      }
      for (const name of names) {
        assert.deepEqual(servers.get(name), expected.get(name));
        assert.equal(servers.foundIn(name), expected.get(name)?.foundIn);
      }
    }),
  );
});

test('a server has what was set last, with or without what may be unknown', () => {
  const servers = new CountedServers();
  for (const one of [server, { ...server, ...unknown }, server]) {
    servers.set('a', one);
    assert.deepEqual(servers.get('a'), one);
  }
  assert.equal(servers.size, 1);
});

test('a copy takes effect only when it is set', () => {
  const servers = new CountedServers();
  servers.set('a', server);
  const copy = servers.get('a');
  assert.ok(copy);
  copy.recorded = 13;
  assert.deepEqual(servers.get('a'), server);
  servers.set('a', copy);
  assert.deepEqual(servers.get('a'), { ...server, recorded: 13 });
});

test('a server that takes the place of a deleted one has nothing of it', () => {
  const servers = new CountedServers();
  servers.set('a', server);
  servers.delete('a');
  servers.delete('a');
  assert.deepEqual(
    [servers.get('a'), servers.foundIn('a'), servers.size],
    [undefined, undefined, 0],
  );
  const next = { ...server, ...unknown, id: 8 };
  servers.set('b', next);
  servers.set('c', server);
  assert.deepEqual([servers.get('b'), servers.get('c')], [next, server]);
});

test('only servers of these nodes are deleted, and not those of this record', () => {
  const servers = new CountedServers();
  servers.set('moved', { ...server, nodeId: 1, recorded: 5 });
  servers.set('reported', { ...server, nodeId: 3, recorded: 6 });
  servers.set('gone', { ...server, nodeId: 3, recorded: 5 });
  servers.deleteUnreported(new Set([2, 3]), 6);
  const left = ['moved', 'reported', 'gone'].filter((name) => servers.get(name));
  assert.deepEqual(left, ['moved', 'reported']);
});

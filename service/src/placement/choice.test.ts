import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exclusionOf, rank, whyAfter } from './choice.ts';
import type { NodeRoom } from './room-queries.ts';

const room = (id: number, more: Partial<NodeRoom> = {}): NodeRoom => ({
  id,
  name: `node-${id}`,
  status: 'online',
  evacuated: false,
  cordoned: false,
  failureDomain: 'default',
  cpu: 4,
  ramMb: 4000,
  diskGb: 100,
  cpuAllocated: 0,
  ramAllocatedMb: 0,
  diskAllocatedGb: 0,
  ...more,
});

const demand = { cpu: 1, ramMb: 512, diskGb: 10 };
const once = { cpu: 1, ram: 1, disk: 1 };
const alone = new Map<number, number>();

const order = (nodes: NodeRoom[], group: ReadonlyMap<number, number> = alone) =>
  rank(nodes, demand, once, group).candidates.map(({ node }) => node.id);

test('the node with the most free memory comes first, then by disk, by cores, and by the time since it is known', () => {
  const nodes = [
    room(6, { ramAllocatedMb: 500, diskAllocatedGb: 10, cpuAllocated: 1 }),
    room(5, { ramAllocatedMb: 500, diskAllocatedGb: 10, cpuAllocated: 1 }),
    room(4, { ramAllocatedMb: 500, diskAllocatedGb: 10 }),
    room(3, { ramAllocatedMb: 500 }),
    room(2, { ramMb: 3600, cpuAllocated: 3, diskAllocatedGb: 90 }),
    room(1, { ramAllocatedMb: 600 }),
  ];
  assert.deepEqual(order(nodes), [2, 3, 4, 5, 6, 1]);
  assert.deepEqual(order(nodes.reverse()), [2, 3, 4, 5, 6, 1]);
});

test('servers of a group go to the failure domain, and then to the node, with the fewest of them', () => {
  const nodes = [
    room(1, { failureDomain: 'rack-1' }),
    room(2, { failureDomain: 'rack-1', ramAllocatedMb: 100 }),
    room(3, { failureDomain: 'rack-2', ramAllocatedMb: 3000 }),
    room(4, { failureDomain: 'rack-2', ramAllocatedMb: 3100 }),
  ];
  assert.deepEqual(order(nodes), [1, 2, 3, 4]);
  assert.deepEqual(order(nodes, new Map([[1, 1]])), [3, 4, 2, 1]);
  const onFull = new Map([
    [1, 2],
    [2, 1],
    [3, 2],
  ]);
  assert.deepEqual(order(nodes, onFull), [4, 3, 2, 1]);
});

test('the servers of a full node count for its failure domain', () => {
  const full = room(1, { failureDomain: 'rack-1', ramAllocatedMb: 4000 });
  const nodes = [full, room(2, { failureDomain: 'rack-1' }), room(3, { ramAllocatedMb: 1000 })];
  assert.deepEqual(order(nodes, new Map([[1, 1]])), [3, 2]);
});

test('nodes that accept no servers, or lack resources, are excluded by the first reason that applies', () => {
  const cases: [Partial<NodeRoom>, string | undefined][] = [
    [{ status: 'offline', evacuated: true }, 'offline'],
    [{ evacuated: true, cordoned: true }, 'evacuated'],
    [{ cordoned: true, ramMb: 0 }, 'cordoned'],
    [{ ramAllocatedMb: 3489, diskGb: 0 }, 'ram'],
    [{ ramAllocatedMb: 3488 }, undefined],
    [{ diskAllocatedGb: 91, cpu: 0 }, 'disk'],
    [{ diskAllocatedGb: 90 }, undefined],
    [{ cpuAllocated: 4 }, 'cpu'],
    [{ cpuAllocated: 3 }, undefined],
    // The node has less memory than when it was allocated.
    [{ ramMb: 1000, ramAllocatedMb: 2000 }, 'ram'],
  ];
  for (const [node, reason] of cases) {
    assert.equal(exclusionOf(room(1, node), demand, once), reason, JSON.stringify(node));
  }
  const { excluded, candidates } = rank(
    cases.map(([node], at) => room(at + 1, node)),
    demand,
    once,
    alone,
  );
  assert.deepEqual(excluded, { offline: 1, evacuated: 1, cordoned: 1, ram: 2, disk: 1, cpu: 1 });
  assert.equal(candidates.length, 3);
});

test('a multiple of the resources can be allocated, but one server gets no more than the node has', () => {
  const node = room(1, { cpuAllocated: 7, ramAllocatedMb: 5400, diskAllocatedGb: 290 });
  const twice = { cpu: 2, ram: 1.5, disk: 3 };
  assert.equal(exclusionOf(node, demand, twice), undefined);
  assert.equal(exclusionOf(node, { ...demand, ramMb: 601 }, twice), 'ram');
  assert.equal(exclusionOf(node, { ...demand, diskGb: 11 }, twice), 'disk');
  assert.equal(exclusionOf(node, { ...demand, cpu: 2 }, twice), 'cpu');
  for (const [field, most, reason] of [
    ['cpu', 4, 'cpu'],
    ['ramMb', 4000, 'ram'],
    ['diskGb', 100, 'disk'],
  ] as const) {
    const ample = { cpu: 9, ram: 9, disk: 9 };
    assert.equal(exclusionOf(room(1), { ...demand, [field]: most }, ample), undefined);
    assert.equal(exclusionOf(room(1), { ...demand, [field]: most + 1 }, ample), reason);
  }
});

test('the reason why a node ranks below another one is the criterion that decided', () => {
  const why = (
    first: Partial<NodeRoom>,
    second: Partial<NodeRoom>,
    group: ReadonlyMap<number, number> = alone,
  ) => {
    const { candidates } = rank([room(1, first), room(2, second)], demand, once, group);
    const [chosen, other] = candidates;
    assert.ok(chosen && other);
    assert.equal(chosen.node.id, 1);
    return whyAfter(chosen, other);
  };
  assert.match(why({}, { ramAllocatedMb: 1000 }), /^less memory free: 3000 MiB$/);
  assert.match(why({}, { diskAllocatedGb: 1 }), /less disk free: 99 GiB$/);
  assert.match(why({}, { cpuAllocated: 1 }), /fewer cores free: 3$/);
  assert.match(why({}, {}), /known for less long/);
  assert.match(why({}, {}, new Map([[2, 3]])), /more of the group on it: 3/);
  const apart = { failureDomain: 'rack-2' };
  assert.match(why({}, apart, new Map([[2, 3]])), /failure domain rack-2: 3/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { components } from '@berth/client';
import { amounts, freeOf, levelOf, roomOf, share } from './room.ts';

type Node = components['schemas']['Node'];
type Location = components['schemas']['Location'];

const node = {
  status: 'online',
  location_id: 1,
  capacity: { cpu: 4, ram: 8192, disk: 100 },
  allocated: { cpu: 6, ram: 4096, disk: 450 },
  used: { cpu: 0.25, ram: 2048, disk: 30 },
} as Node;
const location = { id: 1, overcommit: { cpu: 16, ram: 1, disk: 4 } } as Location;

test('servers may have a multiple of what a node has', () => {
  const cpu = { limit: 64, allocated: 6, free: 58, capacity: 4, used: 0.25 };
  assert.deepEqual(roomOf(node, location, 'cpu'), cpu);
});

test('nothing is free where more is allocated than is allowed now', () => {
  assert.equal(roomOf(node, location, 'disk').free, 0);
});

test('only nodes that accept servers have something free', () => {
  const offline = { ...node, status: 'offline' } as Node;
  assert.deepEqual(freeOf([node, offline, node], [location]), { cpu: 116, ram: 8192 });
});

test('a share is at most all, and nothing of nothing', () => {
  assert.deepEqual([share(1, 4), share(450, 400), share(0, 0)], [25, 100, 0]);
  assert.deepEqual([levelOf(79), levelOf(80), levelOf(95)], ['cyan', 'yellow', 'red']);
});

test('amounts have their units', () => {
  assert.deepEqual(
    [amounts.cpu(1.25), amounts.ram(2048), amounts.disk(30)],
    [...['1.3', '2 GiB', '30 GiB']],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Server } from '../../live/apply.ts';
import { addressOf, sorted, sortedBy } from './sort.ts';

const server = (id: number, hostname: string, ip: string, cpu: number) =>
  ({
    ...{ id, hostname, status: 'started', location_id: 1 },
    ip_addresses: [{ ip, is_primary: true }],
    specifications: { cpu, ram: 512, disk: 5 },
  }) as unknown as Server;

const servers = [
  server(1, 'web-10', '10.0.0.9', 1),
  server(2, 'web-9', '10.0.0.10', 4),
  server(3, 'db', '10.0.0.1', 1),
];
const ids = (sort?: Parameters<typeof sorted>[1]['sort']) =>
  sorted(servers, sort ? { sort } : {}).map(({ id }) => id);

test('the newest server is first unless a column is chosen', () => {
  assert.deepEqual(ids(), [3, 2, 1]);
  assert.deepEqual(ids('created'), [1, 2, 3]);
});

test('numbers in names and addresses are ordered by their value', () => {
  assert.deepEqual(ids('name'), [3, 2, 1]);
  assert.deepEqual(ids('-name'), [1, 2, 3]);
  assert.deepEqual(ids('address'), [3, 1, 2]);
  assert.equal(addressOf(server(4, 'x', '10.0.0.4', 1)), '10.0.0.4');
});

test('equal servers keep their order', () => {
  assert.deepEqual(ids('size'), [1, 3, 2]);
  assert.deepEqual(ids('-size'), [2, 3, 1]);
});

test('a second click on a column reverses the order', () => {
  assert.equal(sortedBy({}, 'name').sort, 'name');
  assert.equal(sortedBy({ sort: 'name' }, 'name').sort, '-name');
  assert.equal(sortedBy({ sort: '-name' }, 'name').sort, 'name');
});

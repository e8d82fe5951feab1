import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durations } from './create-steps.ts';

test('each millisecond of a create belongs to one of its steps', () => {
  const marks = [
    { serverId: 1, step: 'queue', at: 1010 },
    { serverId: 2, step: 'queue', at: 1012 },
    { serverId: 1, step: 'start', at: 1030 },
    { serverId: 1, step: 'network', at: 1070 },
    { serverId: 1, step: 'start', at: 1100 },
    { serverId: 1, step: null, at: 1200 },
    { serverId: 2, step: null, at: 5000 },
  ];
  const taken = durations({ serverId: 1, asked: 1000, seen: 1205, answered: 1225 }, marks);
  assert.deepEqual(Object.fromEntries(taken), {
    POST: 10,
    queue: 20,
    start: 140,
    network: 30,
    'until seen': 5,
    'until SSH': 20,
  });
});

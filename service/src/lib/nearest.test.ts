import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from './nearest.ts';

const known = ['cpu', 'from', 'limit', 'hostname', 'initialCommands'];

test('only a name that is close to a known one is taken for it', () => {
  for (const [name, meant] of [
    ['cpus', 'cpu'],
    ['CPU', 'cpu'],
    ['form', 'from'],
    ['frob', undefined],
    ['ram', undefined],
    ['limti', 'limit'],
    ['lemons', undefined],
    ['hostnames', 'hostname'],
    ['initial_commands', 'initialCommands'],
  ] as const) {
    assert.equal(nearest(name, known), meant, name);
  }
});

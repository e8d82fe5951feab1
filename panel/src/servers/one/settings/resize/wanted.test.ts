import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Server } from '../../../../live/apply.ts';
import { bodyOf, choicesOf, effectsOf, partsOf, type Size, wantedOf } from './wanted.ts';

const server = {
  ...{ status: 'started', size: 'small', size_id: 3 },
  specifications: { cpu: 2, ram: 2048, disk: 20 },
} as Server;
const large = { id: 4, name: 'large', cpu: 4, ram: 4096, disk: 40 } as Size;
const now = wantedOf(server);

test('the form begins with what the server has, which has no effect', () => {
  const small = { ...large, id: 3, ...server.specifications };
  assert.deepEqual(effectsOf(now, small, server), []);
  const unsized = { ...server, size: null, size_id: null } as Server;
  assert.deepEqual(bodyOf(wantedOf(unsized)), { cpu: 2, ram: 2048, disk: 20 });
  assert.deepEqual(effectsOf(wantedOf(unsized), undefined, unsized), []);
});

test('a size takes the place of its parts, and the disk can stay', () => {
  assert.deepEqual(bodyOf({ ...now, size: '4' }), { size: 4 });
  const kept = { ...now, size: '4', keep_disk: true, allow_move: true };
  assert.deepEqual(bodyOf(kept), { size: 4, keep_disk: true, allow_move: true });
  assert.deepEqual(partsOf(kept, large, server), { cpu: 4, ram: 4096, disk: 20 });
  assert.equal(partsOf({ ...now, size: '4' }, large, server).disk, 40);
});

test('a running server changes at once, and its disk for good', () => {
  assert.deepEqual(effectsOf({ ...now, size: '4' }, large, server), [
    'It keeps running: what changes, changes at once.',
    'Its disk cannot be made smaller again.',
    'It gets the traffic allowance of a new server.',
  ]);
});

test('less memory may need a stop, and own specifications end the size', () => {
  const less = { ...now, size: '', ram: 1024 };
  assert.deepEqual(effectsOf(less, undefined, server), [
    'It keeps running: what changes, changes at once.',
    'If it uses more memory than it would have, the resize fails: stop the server first.',
    'It gets the traffic allowance of a new server.',
    'It no longer has the size small, or its price.',
  ]);
  const stopped = { ...server, status: 'stopped' } as Server;
  assert.equal(effectsOf(less, undefined, stopped)[0], 'It has what changes at its next start.');
});

test('own specifications are no choice where servers must have a size', () => {
  const labels = (of: Server, isRequired: boolean) =>
    choicesOf(of, [large], isRequired).map(({ label }) => label);
  const sized = ['small, as it is', 'large: 4 cores · 4 GiB · 40 GiB'];
  assert.deepEqual(labels(server, false), ['Own specifications', ...sized]);
  assert.deepEqual(labels(server, true), sized);
  const unsized = { ...server, size: null, size_id: null } as Server;
  assert.equal(labels(unsized, true)[0], 'No size: 2 cores · 2 GiB · 20 GiB, as it is');
});

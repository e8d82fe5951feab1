import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BerthError } from '@berth/client';
import { patchOf, type Row, repeated, rowErrors, rowsOf, withNew } from './rows.ts';

const row = (id: number, key: string, value = ''): Row => ({ id, key, value });

test('only what differs is sent, and what is gone is removed', () => {
  const labels = { env: 'test', team: 'web', old: 'yes' };
  const rows = [row(0, 'env', 'prod'), row(1, 'team', 'web'), row(3, 'new'), row(4, '')];
  assert.deepEqual(patchOf(labels, rows), { old: null, env: 'prod', new: '' });
  assert.deepEqual(patchOf(labels, rowsOf(labels)), {});
  assert.deepEqual(patchOf({}, [row(0, 'constructor', 'x')]), { constructor: 'x' });
});

test('a renamed label is one less and one more', () => {
  assert.deepEqual(patchOf({ env: 'test' }, [row(0, 'stage', 'test')]), {
    env: null,
    stage: 'test',
  });
});

test('a value without a key is sent, so that the service says what is wrong', () => {
  assert.deepEqual(patchOf({}, [row(0, '', 'web')]), { '': 'web' });
});

test('new rows have an ID of their own', () => {
  assert.deepEqual(withNew([]), [row(0, '')]);
  assert.deepEqual(withNew([row(4, 'a'), row(2, 'b')]).at(-1), row(5, ''));
});

test('a key that is there twice is wrong the second time', () => {
  const rows = [row(0, 'env'), row(1, 'env'), row(2, ''), row(3, '')];
  assert.deepEqual([...repeated(rows).keys()], [1]);
});

test('what the service says stands at its row', () => {
  const errors = [
    { pointer: '/labels/example.com~1a b', detail: 'Must be a key.' },
    { pointer: '/labels/example.com~1a b', detail: 'Must be something else.' },
    { pointer: '/labels/env', detail: 'Must be a value.' },
  ];
  const rows = [row(0, 'example.com/a b'), row(1, 'env', '!')];
  const answered = rowErrors(new BerthError('validation_failed', 'Not valid.', { errors }), rows);
  assert.deepEqual(
    [...answered.found],
    [
      [0, 'Must be a key.'],
      [1, 'Must be a value.'],
    ],
  );
  assert.equal(answered.rest, false);
});

test('what is about no row is said above them', () => {
  const many = { pointer: '/labels', detail: 'There can be at most 64 labels.' };
  const error = new BerthError('validation_failed', 'Not valid.', { errors: [many] });
  assert.equal(rowErrors(error, []).rest, true);
  assert.equal(rowErrors(new BerthError('unavailable', 'Try again.', {}), []).rest, true);
  assert.equal(rowErrors(new Error('a fault'), []).rest, true);
  assert.equal(rowErrors(null, []).rest, false);
});

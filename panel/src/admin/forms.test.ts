import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BerthError } from '@berth/client';
import { fieldErrorsIn, numberOf, textOf, wordsOf } from './forms.ts';

test('fields are read without blanks around them', () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ a: ' x ', b: ' 7', c: ' ', d: 'x, y\nz' }))
    form.set(name, value);
  assert.deepEqual([textOf(form, 'a'), textOf(form, 'missing')], ['x', '']);
  assert.deepEqual([numberOf(form, 'b'), numberOf(form, 'c')], [7, null]);
  assert.deepEqual([wordsOf(form, 'd'), wordsOf(form, 'c')], [['x', 'y', 'z'], []]);
});

test('an error names its field in an object', () => {
  const errors = [
    { pointer: '/quota/cpu', detail: 'Must be an integer.' },
    { pointer: '/limits/ram/max', detail: 'Is too small.' },
    { pointer: '/name', detail: 'Is taken.' },
  ];
  const error = new BerthError('validation_failed', 'No.', { errors });
  assert.deepEqual(fieldErrorsIn(error, 'quota'), { cpu: 'Must be an integer.' });
  assert.deepEqual(fieldErrorsIn(error, 'limits'), { 'ram.max': 'Is too small.' });
  assert.deepEqual(fieldErrorsIn(new Error('x'), 'quota'), {});
});

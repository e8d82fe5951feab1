import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bySuspension } from './suspension-reason.ts';

test('a reason ends with one full stop, whether it has its own or not', () => {
  const given = 'The reason that the administrator has given:';
  assert.equal(bySuspension('not paid'), `${given} "not paid".`);
  assert.equal(
    bySuspension('The invoice of October is not paid.'),
    `${given} "The invoice of October is not paid."`,
  );
});

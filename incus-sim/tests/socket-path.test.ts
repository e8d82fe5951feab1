import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { shortEnough } from '../src/listening.ts';

test('the path of a socket is absolute, and relative only if it would be too long', () => {
  const near = join(process.cwd(), 'data-simulated', 'incus.socket');
  assert.equal(shortEnough(near), near);
  const far = join(process.cwd(), 'x'.repeat(100), 'incus.socket');
  assert.equal(shortEnough(far), join('x'.repeat(100), 'incus.socket'));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printable } from './printable.ts';

test('untrusted text can not control the terminal', () => {
  assert.equal(
    printable('1  \u001b[2Ja\u202eb\u009b\n2  Ζωή'),
    '1  \\u{1b}[2Ja\\u{202e}b\\u{9b}\n2  Ζωή',
  );
});

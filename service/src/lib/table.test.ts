import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from './table.ts';

test('columns are aligned by their width in a terminal, without a frame or trailing blanks', () => {
  const rows = [
    ['NAME', 'ID'],
    ['東京', '1'],
    ['a', ''],
  ];
  assert.equal(table(rows), 'NAME  ID\n東京  1\na');
});

test('untrusted text can neither control the terminal nor move a column', () => {
  assert.equal(table([['a\u001b[2J', 'b']]), 'a\\u{1b}[2J  b');
});

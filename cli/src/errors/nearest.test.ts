import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from './nearest.ts';

test('the name with the fewest different letters was meant, or the only one that begins so', () => {
  const names = ['web-1', 'web-2', 'database-1', 'Two'];
  const meant: Record<string, string | undefined> = {
    'wbe-1': 'web-1',
    web1: 'web-1',
    tow: 'Two',
    data: 'database-1',
    'databse-1': 'database-1',
    mail: undefined,
    we: undefined,
    '': undefined,
  };
  for (const [asked, name] of Object.entries(meant)) {
    assert.equal(nearest(asked, names), name, asked);
  }
});

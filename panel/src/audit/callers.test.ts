import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerChoices, callerInWords, sameCaller } from './callers.ts';

const known = {
  self: 2,
  users: new Map([
    [2, 'Ada'],
    [3, 'Bob'],
  ]),
  tokens: new Map([[7, 'ci']]),
};
const by = (user_id: number | null, token_id: number | null = null) => ({
  ...{ source: 'api' as const, user_id, token_id },
});

test('callers are called by their names as far as they are known', () => {
  const words = [by(2), by(3), by(9), by(3, 7), by(null, 8), by(null)].map((caller) =>
    callerInWords(caller, known),
  );
  assert.deepEqual(words, [
    ...['you', 'Bob', 'user 9', 'Bob, with the token ci', 'the token 8', 'somebody unknown'],
  ]);
  assert.equal(callerInWords({ ...by(null), source: 'berth' }, known), 'Berth itself');
  assert.match(callerInWords({ ...by(null), source: 'command_line' }, known), /command-line/);
});

test('the entries of the same token are those of the same caller, and otherwise of the same user', () => {
  assert.deepEqual([by(2), by(2, 7), by(null)].map(sameCaller), ['user:2', 'token:7', undefined]);
});

test('a chosen caller can be seen, also if nothing is known about it', () => {
  const people = [
    { value: 'user:2', label: 'You' },
    { value: 'user:3', label: 'Bob' },
  ];
  const tokens = [{ value: 'token:7', label: 'ci' }];
  assert.deepEqual(callerChoices(known, 'user:3'), [
    { group: 'People', items: people },
    { group: 'Tokens', items: tokens },
  ]);
  assert.deepEqual(callerChoices({ ...known, tokens: new Map() }, 'user:9'), [
    { group: 'People', items: [...people, { value: 'user:9', label: 'user 9' }] },
  ]);
  assert.deepEqual(callerChoices(known, 'token:8')[1]?.items, [
    ...tokens,
    { value: 'token:8', label: 'token 8' },
  ]);
});

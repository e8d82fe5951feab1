import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weaknessOf } from '../../../service/src/threads/password-strength.ts';
import { strengthOf } from './estimator.ts';

test('the words agree with what the service accepts', async () => {
  const about = ['ada@example.com', 'Ada Lovelace'];
  for (const password of [
    ...['password', 'qwertyuiop123', 'ada@example.com', 'lovelace1815', 'Trombone7'],
    ...['copper-lantern', 'copper-lantern-Tuesday-otter', 'x9$Kq!vR2mTz'],
  ]) {
    const isStrong = (await weaknessOf(password, about)) === undefined;
    const words = strengthOf(password, about);
    assert.match(words, isStrong ? /^(Strong|Very strong)$/ : /too easy to guess$/i, password);
  }
});

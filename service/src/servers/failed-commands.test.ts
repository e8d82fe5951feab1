import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedCommands, failedIndexes } from './failed-commands.ts';

const result = (exit_status: number) => ({ exit_status, output: '' });

test('failed commands are named by their index in the operation', () => {
  const results = [result(3), result(0), result(1)];
  assert.deepEqual(failedCommands(results), [0, 2]);
  assert.equal(
    failedIndexes([0, 2]),
    'its initial commands with the indexes 0, 2 failed; see commands',
  );
  assert.equal(failedIndexes([0]), 'its initial command with the index 0 failed; see commands');
  assert.equal(failedIndexes([]), undefined);
});

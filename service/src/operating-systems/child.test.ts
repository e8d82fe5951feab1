import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgramFailed, runProgram } from './child.ts';

const shell = (script: string, signal = new AbortController().signal) =>
  runProgram({ program: 'sh', args: ['-c', script], signal });

test('a failure names the program and its last lines', async () => {
  await assert.rejects(shell('seq 100 >&2; exit 3'), (error) => {
    assert.ok(error instanceof ProgramFailed);
    assert.match(error.message, /^sh ended with status 3:\n86\n/);
    return error.message.endsWith('\n100');
  });
});

test('a program that is missing is named', async () => {
  const signal = new AbortController().signal;
  const missing = runProgram({ program: '/no/such/program', args: [], signal });
  await assert.rejects(missing, /\/no\/such\/program could not be run/);
});

test('an abort ends the program with its children', async () => {
  const begun = Date.now();
  await assert.rejects(shell('sleep 30 & wait', AbortSignal.timeout(100)), {
    name: 'TimeoutError',
  });
  assert.ok(Date.now() - begun < 25_000);
});

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../testing/until.ts';
import { ProgramFailed, runProgram } from './child.ts';

const shell = (script: string, signal = new AbortController().signal) =>
  runProgram({ program: 'sh', args: ['-c', script], signal });

test('a failure has the name of the program and its last lines', async () => {
  await assert.rejects(shell('seq 100 >&2; exit 3'), (error) => {
    assert.ok(error instanceof ProgramFailed);
    assert.match(error.message, /^sh ended with status 3:\n86\n/);
    return error.message.endsWith('\n100');
  });
});

test('a missing program is named', async () => {
  const signal = new AbortController().signal;
  const missing = runProgram({ program: '/no/such/program', args: [], signal });
  await assert.rejects(missing, /\/no\/such\/program could not be run/);
});

test('an abort ends the program and its children', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-child-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'pid');
  const stopping = new AbortController();
  const script = `sleep 3600 & echo $! >${file}.new; mv ${file}.new ${file}; wait`;
  const rejected = assert.rejects(shell(script, stopping.signal), /^Error: stopping$/);
  await until('the child runs', () => existsSync(file));
  stopping.abort(new Error('stopping'));
  await rejected;
  const child = Number(readFileSync(file, 'utf8'));
  await until('the child has ended', () => !isRunning(child));
});

function isRunning(pid: number): boolean {
  // A process that has ended exists until its parent has read its exit status.
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/^\d+ \(.*\) [ZX]/.test(readFileSync(path, 'utf8'));
}

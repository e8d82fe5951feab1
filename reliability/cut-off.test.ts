import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { commandLine, processesNaming } from '../service/src/testing/processes.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';
import { eventually, until } from '../service/src/testing/until.ts';

// Tests a run of tests that is interrupted while a service, its PostgreSQL and the shared one are
// running.

const root = join(import.meta.dirname, '..');
const command = [
  ...['--test', '--test-global-setup=service/src/testing/global-setup.ts'],
  'reliability/chaos.test.ts',
];

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const) {
  test(`a run that ${signal} ends leaves nothing behind`, async () => {
    const directory = temporaryDirectory('cut');
    const { NODE_TEST_CONTEXT: _, BERTH_TEST_POSTGRES: __, ...env } = process.env;
    // It runs in a new session, so that it gets only this signal.
    const run = spawn(process.execPath, command, {
      cwd: root,
      detached: true,
      stdio: 'ignore',
      env: { ...env, TMPDIR: directory },
    });
    const theirs = () => processesNaming(basename(directory)).map(commandLine);
    await until('a service and two PostgreSQLs run', theirs, (lines) => {
      const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
      return count(/service\/src\/main\.ts/) === 1 && count(/postgres .*-D /) === 2;
    });
    run.kill(signal);
    await eventually(() => {
      assert.deepEqual(theirs(), []);
      assert.deepEqual(readdirSync(directory), []);
    });
    rmSync(directory, { recursive: true });
  });
}

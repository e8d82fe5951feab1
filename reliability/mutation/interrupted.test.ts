import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  commandLine,
  environment,
  killAll,
  processIds,
} from '../../service/src/testing/processes.ts';
import { inMemory } from '../../service/src/testing/temporary-directory.ts';
import { sandboxes } from './options.ts';

const program = fileURLToPath(new URL('run.ts', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const longestMs = 120_000;

/** Starts a mutation run in a separate process group, as a shell does, and in a separate temporary directory. */
function begin(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'berth-mutate-'));
  const { BERTH_TEST_POSTGRES: _, ...env } = process.env;
  const child = spawn(process.execPath, [program, '--room', 'quota'], {
    cwd: root,
    detached: true,
    stdio: 'ignore',
    env: { ...env, TMPDIR: directory, NODE_TEST_CONTEXT: undefined },
  });
  const exited = once(child, 'exit');
  const group = -(child.pid ?? 0);
  t.after(async () => {
    await killAll(() => leftIn(directory));
    rmSync(directory, { recursive: true, force: true });
  });
  return { directory, exited, interrupt: (signal: NodeJS.Signals) => process.kill(group, signal) };
}

/** The processes that were started with this temporary directory. */
const leftIn = (directory: string) =>
  processIds().filter((pid) => environment(pid).includes(`TMPDIR=${directory}`));

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + longestMs;
  while (!holds()) {
    assert.ok(performance.now() < end, `Waited in vain for: ${holds}`);
    await sleep(20);
  }
}

/** The directories of tests in it, and those in memory that belong to them. */
const inDirectory = (directory: string) =>
  readdirSync(directory).flatMap((name) => [join(directory, name), inMemory(name)]);

/** Returns whether PostgreSQL has started, or whether the tests run on changed code. */
const moments = {
  'while PostgreSQL starts': (directory: string) =>
    inDirectory(directory).some((one) => globSync(join(one, '**/postmaster.pid')).length > 0),
  'while its tests run': (directory: string) =>
    existsSync(join(root, sandboxes)) &&
    leftIn(directory).some((pid) => commandLine(pid).includes('--test-reporter=tap')),
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  for (const [moment, hasCome] of Object.entries(moments)) {
    test(`${signal} ${moment} leaves no PostgreSQL and no other process`, async (t) => {
      const { directory, exited, interrupt } = begin(t);
      await until(() => hasCome(directory));
      const made = inDirectory(directory);
      interrupt(signal);
      await exited;
      await until(() => leftIn(directory).length === 0);
      // Their reapers remove the directories a moment later.
      await until(() => readdirSync(directory).length === 0 && !made.some(existsSync));
      assert.ok(!existsSync(join(root, sandboxes)));
    });
  }
}

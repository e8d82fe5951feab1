import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { commandLine, environment, killAll, processIds } from '../../e2e/processes.ts';
import { freePort } from '../../e2e/stack.ts';

// `npm run start:simulated`, in real processes of which each can be told to stop, or killed.

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const generousMs = 120_000;
const directories: string[] = [];

/** All that runs for a directory, PostgreSQL too. */
const processesOf = (directory: string) =>
  processIds().filter(
    (pid) =>
      environment(pid).includes(`BERTH_DATA_DIR=${directory}`) ||
      commandLine(pid).includes(`${directory}/postgres`),
  );

afterEach(async () => {
  for (const directory of directories.splice(0)) {
    await killAll(() => processesOf(directory));
    rmSync(directory, { recursive: true, force: true });
  }
});

interface Started {
  child: ChildProcess;
  directory: string;
  output: () => string;
}

async function start(command: string, args: string[]): Promise<Started> {
  const directory = mkdtempSync(join(tmpdir(), 'berth-simulated-'));
  directories.push(directory);
  const port = await freePort();
  // In a session of its own, so that no signal but what the test sends reaches it.
  const child = spawn(command, args, {
    cwd: root,
    detached: true,
    env: { ...process.env, BERTH_DATA_DIR: directory, BERTH_PORT: String(port) },
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => printed.push(String(data)));
  }
  const output = () => printed.join('');
  await until(output, async () => {
    assert.equal(child.exitCode, null);
    assert.equal((await fetch(`http://127.0.0.1:${port}/v1/health`)).status, 200);
  });
  return { child, directory, output };
}

async function until(output: () => string, holds: () => Promise<void>): Promise<void> {
  const end = Date.now() + generousMs;
  for (;;) {
    const [seen] = await Promise.allSettled([holds()]);
    if (seen.status === 'fulfilled') return;
    if (Date.now() > end) throw new Error(`${seen.reason}\n${output()}`);
    await sleep(100);
  }
}

async function leavesNothing({ directory, output }: Started): Promise<void> {
  await until(output, async () => assert.deepEqual(processesOf(directory), []));
}

test('SIGINT for npm alone, which passes it on, stops the service in order, too', async () => {
  const started = await start('npm', ['run', 'start:simulated']);
  // Only then has all that it printed come.
  const closed = once(started.child, 'close');
  started.child.kill('SIGINT');
  await leavesNothing(started);
  await closed;
  assert.match(started.output(), /Stopped\.[\s\S]*The simulated servers are gone\./);
});

test('one Ctrl-C in a terminal, which all get, stops it in order', async () => {
  const started = await start(process.execPath, [script]);
  const ended = once(started.child, 'exit');
  process.kill(-(started.child.pid ?? 0), 'SIGINT');
  assert.deepEqual(await ended, [0, null], started.output());
  assert.match(started.output(), /Stopped\./);
  await leavesNothing(started);
});

test('a simulator that is killed takes its service along', async () => {
  const started = await start(process.execPath, [script]);
  started.child.kill('SIGKILL');
  await leavesNothing(started);
});

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  commandLine,
  environment,
  killAll,
  processIds,
} from '../../service/src/testing/processes.ts';
import { temporaryDirectory } from '../../service/src/testing/temporary-directory.ts';
import { eventually } from '../../service/src/testing/until.ts';

// Tests `npm run start:simulated` with real processes, each of which can be stopped or killed.

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const directories: string[] = [];

/** All processes of a data directory, including PostgreSQL. */
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
  const directory = temporaryDirectory('simulated');
  directories.push(directory);
  // It runs in a new session, so that it gets only the signals of the test.
  const child = spawn(command, args, {
    cwd: root,
    detached: true,
    env: { ...process.env, BERTH_DATA_DIR: directory, BERTH_PORT: '0' },
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => printed.push(String(data)));
  }
  const output = () => printed.join('');
  await eventually(async () => {
    assert.equal(child.exitCode, null, output());
    const url = /^Berth listens on (\S+)/m.exec(output())?.[1];
    assert.equal((await fetch(`${url}/v1/health`)).status, 200, output());
  });
  return { child, directory, output };
}

async function leavesNothing({ directory, output }: Started): Promise<void> {
  await eventually(() => assert.deepEqual(processesOf(directory), [], output()));
}

test('SIGINT for npm alone, which passes it on, also stops the service in order', async () => {
  const started = await start('npm', ['run', 'start:simulated']);
  // Its output is complete only then.
  const closed = once(started.child, 'close');
  started.child.kill('SIGINT');
  await leavesNothing(started);
  await closed;
  assert.match(started.output(), /Stopped\.\s*$/);
});

test('one Ctrl-C in a terminal, which all processes get, stops it in order', async () => {
  const started = await start(process.execPath, [script]);
  const ended = once(started.child, 'exit');
  process.kill(-(started.child.pid ?? 0), 'SIGINT');
  assert.deepEqual(await ended, [0, null], started.output());
  assert.match(started.output(), /Stopped\./);
  await leavesNothing(started);
});

test('a second one in the same directory, or one without a directory, is refused with an explanation', async () => {
  const first = await start(process.execPath, [script]);
  const second = (directory: string) => {
    const env = { ...process.env, BERTH_DATA_DIR: directory, BERTH_PORT: '0' };
    return spawnSync(process.execPath, [script], { cwd: root, env, encoding: 'utf8' });
  };
  const refused = second(first.directory);
  const words = `\nAnother simulated Berth runs on ${first.directory}.\nStop that one, `;
  assert.ok(refused.status === 1 && refused.stderr.startsWith(words), refused.stderr);
  const nowhere = second('/dev/null/data');
  assert.match(
    nowhere.stderr,
    /^\nThe data directory \/dev\/null\/data can't be made: \/dev\/null is a file\./,
  );
  const inProc = second('/proc/foo');
  const unmade =
    /^\nThe simulated Incus can't be set up in \/proc\/foo: no such file or directory \(ENOENT\)\.\n/;
  assert.match(inProc.stderr, unmade);
  for (const { stderr } of [refused, nowhere, inProc]) assert.doesNotMatch(stderr, /\bat .*\.ts:/);
  first.child.kill('SIGTERM');
  await leavesNothing(first);
});

test('settings are checked before anything is started', () => {
  const directory = temporaryDirectory('simulated');
  directories.push(directory);
  const wrong = (env: Record<string, string>) =>
    spawnSync(process.execPath, [script], {
      cwd: root,
      env: { ...process.env, BERTH_DATA_DIR: join(directory, 'data'), ...env },
      encoding: 'utf8',
    });
  for (const [env, words] of [
    [{ BERTH_PROT: '0' }, /^\nBERTH_PROT is not a setting of Berth\.\n.*BERTH_PORT/],
    [{ BERTH_PORT: 'many' }, /^\nBERTH_PORT must be/],
    [{ BERTH_DATA_DIR: '' }, /^\nBERTH_DATA_DIR is empty\.\n/],
  ] as const) {
    const { status, stdout, stderr } = wrong(env);
    assert.deepEqual([status, stdout], [1, ''], stderr);
    assert.match(stderr, words);
  }
  assert.deepEqual(readdirSync(directory), []);
});

test('the service of a killed simulator ends too', async () => {
  const started = await start(process.execPath, [script]);
  started.child.kill('SIGKILL');
  await leavesNothing(started);
});

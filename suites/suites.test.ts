import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { everLonger } from '../service/src/testing/ever-longer.ts';
import { processesNaming } from '../service/src/testing/processes.ts';
import { eventually, until } from '../service/src/testing/until.ts';
import { partsWithRoot } from '../setup/root.mjs';
import { isRunAgain, playAgain } from './again.ts';
import { limits } from './limits.ts';
import { gate, longParts, type Part } from './parts.ts';
import { play } from './play.ts';
import { isGroupRunning } from './process-group.ts';
import { report } from './table.ts';

// Tests the runner on parts with a few test files that are written here.

const directory = mkdtempSync(join(tmpdir(), 'berth-suites-'));
after(() => rmSync(directory, { recursive: true, force: true }));
// Otherwise the inner runs would report to the outer one.
delete process.env.NODE_TEST_CONTEXT;

const reporter = new URL('reporter.ts', import.meta.url).href;
const args = ['--test', `--test-reporter=${reporter}`];

/** A part with a file for each text. Failures contain its path. */
function partOf(contents: Record<string, string>, ends = limits(60)): Part {
  const files = Object.entries(contents).map(([name, content]) => {
    const path = join(relative('.', directory), name);
    writeFileSync(path, `import { test } from 'node:test';\n${content}\n`);
    return path;
  });
  return {
    ...{ name: 'part', about: 'what is tried', hasFiles: true },
    command: (some = files) => [process.execPath, ...args, ...ends, ...some],
  };
}

const endSeconds = 120;
const passes = "test('it passes', () => undefined);";
const fails = "test('it fails', () => { throw new Error('broken'); });";

test('a part runs to its end, and each failure has its file and message', async () => {
  const part = partOf({
    'a.test.mjs': fails,
    'b.test.mjs': passes,
    'c.test.mjs': 'process.exit(3);',
  });
  const { failures, files, tests } = await play(part, { endSeconds });
  assert.deepEqual(
    failures.map(({ file, ...failure }) => ({ ...failure, file: file.split('/').at(-1) })),
    [
      { file: 'a.test.mjs', kind: 'failed', test: 'it fails', message: 'broken' },
      { file: 'c.test.mjs', kind: 'failed', test: '(the file)', message: 'test failed' },
    ],
  );
  assert.equal(files.length, 3);
  assert.equal(tests, 2);
});

test('a file that passes when it is run again is unsteady, and one that fails again has failed', async () => {
  const mark = join(directory, 'was-here');
  const once = `import { existsSync, writeFileSync } from 'node:fs';
    test('it passes once', () => {
      if (existsSync('${mark}')) return;
      writeFileSync('${mark}', '');
      throw new Error('slow');
    });`;
  const outcome = await play(partOf({ 'once.test.mjs': once, 'never.test.mjs': fails }), {
    endSeconds,
  });
  await playAgain(outcome);
  assert.deepEqual(
    outcome.unsteady.map(({ message }) => message),
    ['slow'],
  );
  assert.deepEqual(
    outcome.failures.map(({ message }) => message),
    ['broken'],
  );
  const text = report([outcome]);
  assert.match(text, /^unsteady: .*once\.test\.mjs: it passes once: slow$/m);
  assert.match(text, /^failed: .*never\.test\.mjs: it fails: broken$/m);
  assert.match(text, /^1 passed, 1 failed$/m);
});

test('without time left, nothing is run again', async () => {
  const outcome = await play(partOf({ 'never.test.mjs': fails }), { endSeconds });
  const { seconds } = outcome;
  await playAgain(outcome, () => 0);
  assert.equal(outcome.seconds, seconds);
  assert.equal(outcome.failures.length, 1);
});

test('attacks, isolation, access and secrets are not run again', async () => {
  const mark = join(directory, 'tries');
  const counted = `import { appendFileSync } from 'node:fs';
    test('it fails', () => { appendFileSync('${mark}', 'x'); throw new Error('open'); });`;
  for (const name of ['attacks.long', 'isolation', 'access-roles', 'secrets']) {
    rmSync(mark, { force: true });
    const outcome = await play(partOf({ [`${name}.test.mjs`]: counted }), { endSeconds });
    await playAgain(outcome);
    assert.equal(outcome.failures.length, 1, name);
    assert.deepEqual(outcome.unsteady, [], name);
  }
});

test('what is run again, and what is not', () => {
  const again = [
    ...['operations/fence', 'ssh-keys/routes', 'operations/left-leases', 'usage/months'],
    ...['consoles/slow', 'events/stream', 'webhooks/routes'],
  ];
  const never = [
    ...[
      'projects/members/roles',
      'callers/scopes',
      'db/project',
      'tokens/networks',
      'keys/keyring',
    ],
    ...['sessions/csrf', 'passkeys/routes', 'consoles/routes', 'left/nothing-left'],
    ...['consoles/connections', 'events/revoked', 'identities/claims', 'users/password'],
    ...['device-authorizations/routes', 'webhooks/addresses', 'webhooks/sending/hostile'],
  ];
  const path = (name: string) => `service/src/${name}.test.ts`;
  assert.deepEqual(
    [...again, ...never].filter((name) => isRunAgain(path(name))),
    again,
  );
  assert.equal(isRunAgain('e2e/first-start.long.test.ts'), false);
});

test('files that were not run are a failure of their part, which is not run again', async () => {
  const ends = `test('it ends the runner', async () => {
    process.kill(process.ppid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 1000));
  });`;
  const part = partOf({ 'a.test.mjs': fails, 'b.test.mjs': ends, 'c.test.mjs': fails });
  const inOrder: Part = { ...part, command: () => [...part.command(), '--test-concurrency=1'] };
  const outcome = await play(inOrder, { endSeconds });
  await playAgain(outcome);
  const [last] = outcome.failures.slice(-1);
  assert.deepEqual(
    [last?.file, last?.message],
    ['part', 'It ended with SIGKILL; its output says why.'],
  );
});

test('a part without any file is a failure', async () => {
  const part: Part = { ...partOf({}), command: () => [process.execPath, '-e', ''] };
  const { failures } = await play(part, { endSeconds });
  assert.deepEqual(
    failures.map(({ message }) => message),
    ['It ended without having run a file.'],
  );
});

test('after many failures, nothing is run again', async () => {
  const names = Array.from({ length: 6 }, (_, index) => `${index}.test.mjs`);
  const outcome = await play(partOf(Object.fromEntries(names.map((name) => [name, fails]))), {
    endSeconds,
  });
  const { seconds } = outcome;
  await playAgain(outcome);
  assert.equal(outcome.seconds, seconds);
  assert.equal(outcome.failures.length, 6);
});

test('a part that takes too long is ended, and says what was still running', async () => {
  const part = partOf({
    'quick.test.mjs': passes,
    'hangs.test.mjs': "test('it hangs', () => new Promise(() => setInterval(() => {}, 1000)));",
  });
  await everLonger(async (seconds) => {
    const { failures } = await play(part, { endSeconds: seconds });
    const [failure] = failures.slice(-1);
    const words = /not ended after [\d.]+ s\. Still running: \S*hangs\.test\.mjs$/;
    assert.match(failure?.message ?? '', words);
  });
});

test('a file that is kept alive after its tests is ended', async () => {
  const listens = `import { createServer } from 'node:net';
    test('it listens on', (_, done) => void createServer().listen(0, '127.0.0.1', done));`;
  const part = partOf({ 'alive.test.mjs': listens }, limits(60, 1));
  const { failures } = await play(part, { endSeconds });
  assert.deepEqual(
    failures.map(({ test }) => test),
    ['(the file)'],
  );
});

test('a signal ends a part once, and a second signal does not interrupt its cleanup', async () => {
  const marks = join(directory, 'signals');
  const part: Part = {
    ...{ name: 'long', about: 'cleans up when it is told to end', hasFiles: false },
    command: () => [
      process.execPath,
      '-e',
      `const { appendFileSync } = require('node:fs');
      process.on('SIGTERM', () => {
        appendFileSync('${marks}', 'told ');
        setTimeout(() => { appendFileSync('${marks}', 'cleaned'); process.exit(0); }, 500);
      });
      setInterval(() => undefined, 1000);
      process.kill(${process.pid}, 'SIGTERM');
      process.kill(${process.pid}, 'SIGTERM');`,
    ],
  };
  await play(part, { endSeconds });
  assert.equal(readFileSync(marks, 'utf8'), 'told cleaned');
});

test('a run that is killed leaves neither the processes of its part nor its directory', async () => {
  const mark = join(directory, 'begun');
  const command = ['sh', '-c', `echo "$$ $BERTH_TEST_RESULTS" > ${mark}; sleep 1000 & wait`];
  const script = `
    import { play } from ${JSON.stringify(new URL('play.ts', import.meta.url).href)};
    const command = () => ${JSON.stringify(command)};
    const part = { name: 'long', about: 'runs on', hasFiles: false, command };
    await play(part, { endSeconds: ${endSeconds} });`;
  const run = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  const read = () => (existsSync(mark) ? readFileSync(mark, 'utf8') : '');
  const begun = await until('the part has begun', read, (text) => text.endsWith('\n'));
  const [group = '', results = ''] = begun.trim().split(' ');
  const files = dirname(results);
  await until('its reaper runs', () => processesNaming(`play-reaper.ts ${files}`).length > 0);
  assert.ok(isGroupRunning(Number(group)) && existsSync(files));
  run.kill('SIGKILL');
  await eventually(() => {
    assert.equal(isGroupRunning(Number(group)), false);
    assert.equal(existsSync(files), false);
  });
});

test('a command that fails is a failure of its part', async () => {
  const part: Part = {
    ...{ name: 'checks', about: 'a lint', hasFiles: false },
    command: () => ['sh', '-c', 'exit 4'],
  };
  const { failures, tests } = await play(part, { endSeconds });
  assert.deepEqual(failures, [
    { file: 'checks', test: 'a lint', message: 'It ended with 4; its output says why.' },
  ]);
  assert.equal(tests, 1);
});

test('the parts are listed, and an unknown part is refused with the list of parts', () => {
  const run = (...more: string[]) =>
    spawnSync(process.execPath, ['suites/run.ts', ...more], { encoding: 'utf8' });
  const listed = run('--list').stdout;
  for (const { name, about } of [...gate, ...longParts]) {
    assert.ok(listed.includes(name) && listed.includes(about), name);
  }
  const { status, stderr } = run('--part', 'none');
  assert.equal(status, 2);
  assert.match(stderr, /no part "none"[\s\S]*checks, service/);
});

test('the setup knows the parts that need root', () => {
  const parts = [...gate, ...longParts].filter(({ needsRoot }) => needsRoot);
  assert.deepEqual(
    parts.map(({ name }) => name),
    partsWithRoot,
  );
});

/** Runs on the simulator, and on a real Incus. */
const isContract = (file: string) => file.startsWith('incus-sim/contract/');

test('each test file belongs to exactly one part of the gate or of the long tests', () => {
  const { stdout } = spawnSync('git', ['ls-files', '*.test.ts', '*.test.mjs'], {
    encoding: 'utf8',
  });
  const known = ['checks', 'properties'];
  const parts = [...gate, ...longParts].filter(
    ({ name, hasFiles }) => hasFiles && !known.includes(name),
  );
  const ran = parts.flatMap((part) => part.command());
  const wrong = stdout
    .split('\n')
    .filter((file) => file !== '' && !file.includes('/left/'))
    .map((file) => [file, ran.filter((one) => one === file).length] as const)
    .filter(([file, times]) => times !== (isContract(file) ? 2 : 1));
  assert.deepEqual(wrong, []);
});

test('each file with property tests also runs with a new seed', () => {
  const imports = "^(import|}).* from 'fast-check'";
  const { stdout } = spawnSync('git', ['grep', '-lE', imports, '--', '*.test.ts'], {
    encoding: 'utf8',
  });
  const files = stdout.split('\n').filter((file) => file !== '');
  assert.ok(files.length > 0);
  const ran = longParts.find(({ name }) => name === 'properties')?.command();
  assert.deepEqual(
    files.filter((file) => !ran?.includes(file)),
    [],
  );
});

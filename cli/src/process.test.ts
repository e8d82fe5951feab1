import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../bin/berth.mjs', import.meta.url));
const { version } = JSON.parse(
  readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'),
) as { version: string };

test('the program runs in any folder, and says what is wrong on standard error', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'berth-home-'));
  t.after(() => rmSync(home, { recursive: true }));
  const env = { PATH: process.env.PATH, HOME: home };
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [program, ...args], { cwd: home, env, encoding: 'utf8' });
  const shown = run('--version');
  assert.deepEqual([shown.status, shown.stdout, shown.stderr], [0, `${version}\n`, '']);
  const signedOut = run('server', 'list', '--context', 'none');
  assert.deepEqual([signedOut.status, signedOut.stdout], [2, '']);
  assert.match(signedOut.stderr, /^Error: There is no context none in /);
});

test('Ctrl-C ends a program that reads standard input', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'berth-home-'));
  t.after(() => rmSync(home, { recursive: true }));
  const env = { PATH: process.env.PATH, HOME: home };
  const args = [program, 'login', 'http://berth.example', '--token-stdin'];
  const child = spawn(process.execPath, args, { cwd: home, env, stdio: 'pipe' });
  const ended = once(child, 'exit');
  // A note, after which it reads.
  await once(child.stderr, 'data');
  child.kill('SIGINT');
  assert.deepEqual(await ended, [130, null]);
});

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writePackage } from '../build.ts';

test('the built package runs alone', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-package-'));
  t.after(() => rmSync(directory, { recursive: true }));
  await writePackage(join(directory, 'dist'));
  execFileSync('npm', ['pack', '--silent', join(directory, 'dist')], { cwd: directory });
  const [archive = ''] = readdirSync(directory).filter((name) => name.endsWith('.tgz'));
  const env = { ...process.env, HOME: directory };
  const install = ['install', '--silent', '--offline', '--no-audit', join(directory, archive)];
  execFileSync('npm', install, { cwd: directory, env });
  const run = (...args: string[]) =>
    spawnSync(join(directory, 'node_modules/.bin/berth'), args, { encoding: 'utf8', env });
  assert.match(run('--version').stdout, /^\d+\.\d+\.\d+/);
  assert.match(run('server', '--help').stdout, /^Usage: berth server /);
  assert.match(run('completion', 'fish').stdout, /complete -c berth/);
  const signedOut = run('server', 'list');
  assert.equal(signedOut.status, 3, signedOut.stderr);
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { newDirectory, startBerth } from '../../incus-sim/tests/berth.ts';
import { readmeProgram, root } from '../testing/readme.ts';

test('the examples of the README run on a service', async () => {
  const directory = newDirectory();
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(directory, 'program.ts'), readmeProgram());
  const { url, token } = await startBerth();
  const env = { ...process.env, BERTH_URL: url, BERTH_TOKEN: token };
  const options = { cwd: directory, env, timeout: 120_000 };
  const { stdout } = await promisify(execFile)(process.execPath, ['program.ts'], options);
  const lines = stdout.trim().split('\n');
  const progress = lines.filter((line) => /^\d+ % /.test(line));
  assert.ok(progress.length >= 2, stdout);
  assert.match(progress.at(-1) ?? '', /^100 % /);
  assert.deepEqual(
    lines.filter((line) => !progress.includes(line)),
    [
      `This is Berth ${lines[0]?.split(' ')[3]}`,
      'The server was stopped.',
      'web-1 is stopped.',
      'create: succeeded',
      '/cpu: Must be an integer number of cores, at least 1 and within the limits of the location. The value is -1.',
      'web-1 is deleted.',
    ],
  );
});

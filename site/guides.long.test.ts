import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startInstallation } from '../cli/testing/installation.ts';
import { root } from './pages/repository.ts';
import { blocksOf, programOf, runPages } from './testing/blocks.ts';
import { runBlocks } from './testing/shell.ts';

// Runs the commands of the README, of "Get started" and of the guides as they are written, on the simulator.

const members = ['node-1', 'node-2', 'node-3'];

for (const page of runPages) {
  test(`the commands of ${page} run in their order`, async (t) => {
    const blocks = blocksOf(page);
    assert.ok(blocks.length > 0, 'It has no commands.');
    for (const { notRun, line } of blocks) {
      if (notRun) t.diagnostic(`${page}:${line} is not run: ${notRun}`);
    }
    await using stack = new AsyncDisposableStack();
    const installation = await startInstallation({}, page.includes('cluster') ? { members } : {});
    stack.defer(installation.close);
    const home = mkdtempSync(join(tmpdir(), 'berth-guide-'));
    stack.defer(() => rmSync(home, { recursive: true, force: true }));
    const run = blocks.filter(({ notRun }) => notRun === undefined);
    const { url, database, dataDir } = installation;
    symlinkSync(dataDir, join(home, 'data'));
    const env = { DATABASE_URL: database.connectionString, BERTH_DATA_DIR: dataDir };
    await runBlocks(page, run, { url, home, env });
    const program = programOf(page);
    if (program === undefined) return;
    symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
    writeFileSync(join(home, 'package.json'), '{"type": "module"}');
    writeFileSync(join(home, 'program.ts'), program);
    const access = { BERTH_URL: url, BERTH_TOKEN: installation.token };
    const options = { cwd: home, env: { ...process.env, ...access } };
    const { stdout } = await promisify(execFile)(process.execPath, ['program.ts'], options);
    assert.match(stdout, /^job-1 is deleted\.\njob-2 is deleted\.$/m);
  });
}

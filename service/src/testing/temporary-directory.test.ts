import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { startEmbeddedPostgres } from '../db/embedded/embedded.ts';
import { processesNaming } from './processes.ts';
import { directoryInMemory, inMemory } from './temporary-directory.ts';
import { eventually } from './until.ts';

const urlOf = (module: string) => JSON.stringify(new URL(module, import.meta.url).href);

/** The data of a PostgreSQL that has been stopped, for each run to copy: making it takes longer. */
const prepared = directoryInMemory('prepared');
before(async () => {
  const { stop } = await startEmbeddedPostgres({ dataDir: prepared });
  await stop();
});
after(() => rm(prepared, { recursive: true }));

/** A test run that has started PostgreSQL and a separate process, and prints its directory. */
const script = `
  import { spawn } from 'node:child_process';
  import { cp } from 'node:fs/promises';
  import { startEmbeddedPostgres } from ${urlOf('../db/embedded/embedded.ts')};
  import { directoryInMemory, temporaryDirectory } from ${urlOf('temporary-directory.ts')};
  const dataDir = directoryInMemory('postgres');
  await cp(${JSON.stringify(prepared)}, dataDir, { recursive: true });
  await startEmbeddedPostgres({ dataDir });
  const directory = temporaryDirectory('test');
  spawn('sleep', ['1000'], { detached: true, stdio: 'ignore', env: { DIRECTORY: directory } }).unref();
  console.log(directory);
  setInterval(() => undefined, 1000);`;

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const) {
  test(`a run that is ended by ${signal} leaves neither processes nor directories`, async () => {
    const run = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const root = dirname(String((await once(run.stdout, 'data'))[0]).trim());
    const theirs = () => processesNaming(basename(root));
    assert.ok(existsSync(root));
    // These are PostgreSQL, `sleep`, and the reaper.
    assert.ok(theirs().length >= 3, `${theirs().length} processes`);
    run.kill(signal);
    await eventually(() => {
      assert.deepEqual(theirs(), []);
      assert.equal(existsSync(root), false, 'the directory is gone');
      assert.equal(existsSync(inMemory(basename(root))), false, 'the directory in memory is gone');
    });
  });
}

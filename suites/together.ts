import { resolve } from 'node:path';
import { describe, mock, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { endProcess } from './file-end.ts';
import { nameOfAll } from './groups.ts';
import { graceSeconds } from './limits.ts';

/**
 * Runs test files in this process, one after the other. The tests of a file begin once all of it is loaded, and its
 * hooks are for its own tests, as when it runs alone.
 */
export async function runTogether(files: readonly string[]): Promise<void> {
  const env = { ...process.env };
  for (const file of files) {
    await test(file, async () => {
      // Tests of a suite begin when its function has ended.
      await describe(nameOfAll, async () => {
        await import(pathToFileURL(resolve(file)).href);
      });
    });
    mock.reset();
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }
  setTimeout(() => endProcess(graceSeconds), graceSeconds * 1000).unref();
}

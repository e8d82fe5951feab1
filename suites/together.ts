import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
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
  let count = 0;
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return hasHooks(found.url) ? { ...found, url: `${found.url}?of=${count}` } : found;
    },
  });
  for (const file of files) {
    count += 1;
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

const known = new Map<string, boolean>();

/** Whether a module of the project declares hooks of tests, so that each test file needs it for itself. */
function hasHooks(url: string): boolean {
  if (!url.startsWith('file:') || /\/node_modules\/|\.test\.\w+$/.test(url)) return false;
  const isKnown = known.get(url);
  if (isKnown !== undefined) return isKnown;
  const has = /from 'node:test'/.test(readFileSync(new URL(url), 'utf8'));
  known.set(url, has);
  return has;
}

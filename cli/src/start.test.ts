import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../bin/berth.mjs', import.meta.url));

/** Writes the address of each module that is loaded. */
const hook = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    process.stderr.write(url + '\\n');
    return next(url, context);
  },
});`)}`;

function loaded(home: string, ...args: string[]): string[] {
  const env = { PATH: process.env.PATH, HOME: home };
  const command = ['--import', hook, program, ...args];
  const { stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
  assert.notEqual(stdout, '', stderr);
  return stderr.split('\n').filter((line) => /^(file|node):/.test(line));
}

test('a command loads only its noun, and no library before it is needed', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'berth-home-'));
  t.after(() => rmSync(home, { recursive: true }));
  const ofVersion = loaded(home, '--version').filter((url) => url.includes('/cli/src/'));
  assert.deepEqual(
    ofVersion.map((url) => url.split('/cli/src/')[1]),
    ['main.ts', 'version.ts'],
  );
  const ofList = loaded(home, 'server', 'list', '--help');
  const nouns = ofList.filter((url) => url.endsWith('/noun.ts') && !url.includes('/verbs/'));
  assert.deepEqual(
    nouns.map((url) => url.split('/cli/src/')[1]),
    ['servers/noun.ts'],
  );
  const late =
    /inquirer|yaml|cli-table3|cli-progress|\/ora\/|csv-stringify|chart|log-update|node:crypto/;
  assert.deepEqual(
    ofList.filter((url) => late.test(url)),
    [],
  );
});

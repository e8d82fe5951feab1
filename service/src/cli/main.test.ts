import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { program, toolEntry } from '../testing/tool.ts';

const run = program([toolEntry], '', {});

test('without arguments all commands are listed, and each is an npm script', async () => {
  const { code, stdout } = await run();
  assert.equal(code, 0);
  const [, listed = ''] = /Commands:\n([\s\S]*)$/.exec(stdout) ?? [];
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  const own = names.filter((name) => name !== 'help');
  const file = new URL('../../../package.json', import.meta.url);
  const { scripts } = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(own.length, 11);
  for (const name of own) assert.equal(scripts[name], `node service/src/cli/main.ts ${name}`);
});

test('help shows how the command is typed', async () => {
  const { code, stdout } = await run('location', 'add', '--help');
  assert.equal(code, 0);
  assert.match(stdout, /^Usage: npm run location -- add \[options\] <name>$/m);
  assert.match(stdout, /--json/);
});

test('an unknown command has the exit status 2, and a similar one is suggested', async () => {
  const { code, stdout, stderr } = await run('tokens');
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /^Unknown command 'tokens'\n\(Did you mean token\?\)$/m);
});

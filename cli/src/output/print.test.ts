import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createCli } from '../cli.ts';
import { columnsOf } from './columns.ts';
import { formats, printList } from './print.ts';

const columns = columnsOf<{ name: string }>(
  { name: ({ name }) => name },
  ['name'],
  ({ name }) => name,
);
const hostile = 'a\u001b]0;title\u0007\u009b2J';

async function printed(output: (typeof formats)[number], isTTY: boolean): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { isTTY });
  const cli = createCli({
    ...{ env: {}, stdin: new PassThrough(), stdout, stderr: new PassThrough() },
    ...{ signal: new AbortController().signal, openBrowser: async () => false },
  });
  cli.globals = { output };
  await printList(cli, columns, [{ name: hostile }]);
  return String(stdout.read());
}

test('a terminal gets no control characters of others in any format', async () => {
  for (const format of formats) {
    assert.doesNotMatch(await printed(format, true), /[^\P{Cc}\n]/u, format);
  }
});

test('a pipe gets names and CSV as they are', async () => {
  for (const format of ['name', 'csv'] as const) {
    assert.ok((await printed(format, false)).includes(hostile), format);
  }
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exitStatuses } from './exit-statuses.ts';
import { nouns } from './nouns.ts';
import { formats } from './output/print.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/cli.md', import.meta.url)), 'utf8');

test('the page names each noun, each format and each exit status', () => {
  for (const noun of Object.keys(nouns)) assert.ok(page.includes(`\`${noun}\``), noun);
  for (const format of formats) assert.match(page, new RegExp(`^\\| \`${format}\` `, 'm'));
  const [, table = ''] = page.split('## Exit statuses');
  const described = [...table.matchAll(/^\| (\d+) /gm)].map(([, status]) => Number(status));
  assert.deepEqual(described, Object.values(exitStatuses));
});

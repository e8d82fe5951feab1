import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'berth-lint-'));
after(() => rmSync(directory, { recursive: true, force: true }));
writeFileSync(
  join(directory, 'tsconfig.json'),
  '{"compilerOptions": {"module": "nodenext", "strict": true, "lib": ["es2024"], "types": []}}',
);

/** What the lint of `npm run check` reports for a line, in a file in which `work` may fail. */
function said(line) {
  const file = join(directory, 'code.ts');
  const later = 'declare function later(work: () => void): void;';
  writeFileSync(file, `${later}\nexport async function work() {}\nlater(() => {});\n${line}\n`);
  const command = join(root, 'node_modules/.bin/oxlint');
  const args = ['--type-aware', '-c', join(root, '.oxlintrc.json'), '-f', 'unix', file];
  const { status, stdout } = spawnSync(process.execPath, [command, ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, rule: /(?:typescript|eslint)\((.*)\)/.exec(stdout)?.[1] };
}

test('the lint reports unhandled promises, and accepts handled ones', () => {
  for (const line of ['work();', 'void work();', 'work().then(() => 1);', 'work().finally();']) {
    assert.deepEqual(said(line), { status: 1, rule: 'no-floating-promises' }, line);
  }
  // The type of such a function hides that it returns a promise.
  assert.deepEqual(said('later(() => void work());'), { status: 1, rule: 'no-void' });
  const misused = 'later(async () => { await work(); });';
  assert.deepEqual(said(misused), { status: 1, rule: 'no-misused-promises' });
  for (const line of ['await work();', 'work().catch(() => 1);']) {
    assert.deepEqual(said(line), { status: 0, rule: undefined }, line);
  }
});

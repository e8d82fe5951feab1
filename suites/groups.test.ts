import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { playAgain } from './again.ts';
import { filesOf, writeGroups } from './groups.ts';
import { limits } from './limits.ts';
import type { Part } from './parts.ts';
import { play } from './play.ts';

// Runs groups of test files that are written here.

const directory = mkdtempSync(join(tmpdir(), 'berth-groups-'));
after(() => rmSync(directory, { recursive: true, force: true }));
// Otherwise the inner runs would report to the outer one.
delete process.env.NODE_TEST_CONTEXT;

const reporter = new URL('reporter.ts', import.meta.url).href;
const imports = `import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';`;

/** A part with a file for each text. */
function partOf(contents: Record<string, string>): Part {
  const files = Object.entries(contents).map(([name, content]) => {
    const path = join(relative('.', directory), name);
    writeFileSync(path, `${imports}\n${content}\n`);
    return path;
  });
  return {
    ...{ name: 'part', about: 'what is tried', hasFiles: true },
    command: (some, written = directory) => [
      ...[process.execPath, '--test', `--test-reporter=${reporter}`, ...limits(60)],
      ...(some ?? writeGroups(files, written)),
    ],
  };
}

const endSeconds = 120;
const passes = "test('it passes', () => undefined);";
const namesOf = (files: { file: string }[]) => files.map(({ file }) => file.split('/').at(-1));

test('files of a group share a process, and have hooks and an environment of their own', async () => {
  const own = `let count = 0;
    beforeEach(() => { count += 1; });
    test('it is the first', () => assert.equal(count, 1));
    await undefined;
    test('it begins when all of its file is loaded', () => assert.equal(count, late));
    const late = 2;
    test('the file before has left nothing', () => assert.equal(left, undefined));
    const left = process.env.BERTH_LEFT;
    process.env.BERTH_LEFT = 'by the file before';
    const isShared = globalThis.wasHere;
    globalThis.wasHere = true;`;
  const shares = "test('it shares the process', () => assert.equal(isShared, true));";
  const part = partOf({ 'one.test.mjs': own, 'two.test.mjs': `${own}\n${shares}` });
  const { failures, files, tests } = await play(part, { endSeconds });
  assert.deepEqual(failures, []);
  assert.deepEqual(namesOf(files), ['one.test.mjs', 'two.test.mjs']);
  assert.equal(tests, 7);
});

test('a module that declares hooks is loaded for each file', async () => {
  const helper = join(directory, 'helper.mjs');
  writeFileSync(
    helper,
    "import { after } from 'node:test';\nexport const open = { is: true };\nafter(() => { open.is = false; });\n",
  );
  const uses = `import { open } from './helper.mjs';
    test('it is open', () => assert.equal(open.is, true));`;
  const part = partOf({ 'one.test.mjs': uses, 'two.test.mjs': uses });
  assert.deepEqual((await play(part, { endSeconds })).failures, []);
});

test('each failure has its file, and a file that cannot be loaded fails', async () => {
  const part = partOf({
    'a.test.mjs': passes,
    'b.test.mjs': "test('it fails', () => { throw new Error('broken'); });",
    'c.test.mjs': "throw new Error('not loaded');",
    'd.test.mjs': passes,
  });
  const { failures, files } = await play(part, { endSeconds });
  assert.deepEqual(
    failures.map(({ file, test: name, message }) => [...namesOf([{ file }]), name, message]),
    [
      ['b.test.mjs', 'it fails', 'broken'],
      ['c.test.mjs', '(the file)', 'not loaded'],
    ],
  );
  assert.equal(files.length, 4);
});

test('if a file ends its process, all files of its group run again, each alone', async () => {
  const outcome = await play(partOf({ 'x.test.mjs': passes, 'y.test.mjs': 'process.exit(0);' }), {
    endSeconds,
  });
  assert.deepEqual(namesOf(outcome.failures), ['x.test.mjs', 'y.test.mjs']);
  await playAgain(outcome);
  assert.deepEqual(outcome.failures, []);
});

test('each file belongs to one group', () => {
  const files = Array.from({ length: 20 }, (_, index) => `${index}.test.ts`);
  assert.deepEqual(writeGroups(files, directory).flatMap(filesOf), files);
  assert.equal(filesOf('0.test.ts'), undefined);
});

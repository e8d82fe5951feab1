import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SetupError } from '../../../../setup/commands.mjs';
import { createTestDatabase } from '../../testing/postgres.ts';
import { toolOn } from '../../testing/tool.ts';
import { backUp } from './backup.ts';
import { openExport } from './export-file.ts';

const { connectionString, close } = await createTestDatabase();
after(close);
const root = mkdtempSync(join(tmpdir(), 'berth-backup-'));
after(() => rmSync(root, { recursive: true }));
const quiet = { of: () => () => undefined };

function folder(name: string): string {
  mkdirSync(join(root, name));
  return join(root, name);
}

const on = (day: number) => new Date(Date.UTC(2026, 0, day, 3, 4, 5));

test('the name of an export has its time, and the newest exports are kept', async () => {
  const directory = folder('kept');
  for (const name of ['berth-before-upgrade.gz', 'notes.txt'])
    writeFileSync(join(directory, name), '');
  for (const day of [1, 2, 3])
    await backUp(connectionString, { directory, keep: 2, now: on(day) }, quiet);
  assert.deepEqual(readdirSync(directory).sort(), [
    'berth-20260102T030405Z.gz',
    'berth-20260103T030405Z.gz',
    'berth-before-upgrade.gz',
    'notes.txt',
  ]);
  const path = join(directory, 'berth-20260103T030405Z.gz');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.ok((await openExport(path)).header.tables.length > 10);
});

test('a failed export removes none of the earlier ones', async () => {
  const directory = folder('failed');
  for (const day of [1, 2])
    await backUp(connectionString, { directory, keep: 2, now: on(day) }, quiet);
  const before = readdirSync(directory);
  const again = backUp(connectionString, { directory, keep: 1, now: on(2) }, quiet);
  await assert.rejects(again, /already exists/);
  const nowhere = connectionString.replace(/\/test_\d+_\d+/, '/none_such');
  await assert.rejects(backUp(nowhere, { directory, keep: 1, now: on(3) }, quiet));
  assert.deepEqual(readdirSync(directory), before);
});

test('a missing directory is reported, and not created', async () => {
  const directory = join(root, 'not-mounted');
  const backup = backUp(connectionString, { directory, keep: 1 }, quiet);
  await assert.rejects(backup, (error: Error) => {
    assert.ok(error instanceof SetupError, String(error));
    assert.equal(error.message, `There is no directory ${directory}.`);
    assert.match(error.wayOut, /mount the disk that it is on: mkdir -m 700 /);
    return true;
  });
  assert.ok(!existsSync(directory));
});

test('the command of the timer exports in the same way', async () => {
  const directory = folder('command');
  const run = toolOn(connectionString, 'db');
  const { code, stdout, stderr } = await run('backup', directory, '--keep', '1');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Exported [\d,]+ rows .*berth-\d{8}T\d{6}Z\.gz\./s);
  assert.equal(readdirSync(directory).length, 1);
  for (const args of [
    ['backup'],
    ['backup', directory, '--keep', '0'],
    ['export', 'x', '--keep', '1'],
  ]) {
    assert.equal((await run(...args)).code, 2, args.join(' '));
  }
});

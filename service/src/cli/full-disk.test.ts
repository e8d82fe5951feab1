import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { keyFile, loadKeys } from '../keys/key-file.ts';
import { agreeOnSecretKey } from '../keys/secret-key.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { toolEntry, toolOn } from '../testing/tool.ts';

// Tests the tools while the disk of the service is full.

/** Runs a command with a full file system that contains the secret key, and lists the files there at the end. */
const script = `full=$1; key=$2; shift 2
mount -t tmpfs -o size=16k tmpfs "$full" && cp "$key" "$full/secret-key" || exit 99
cat /dev/zero > "$full/filler" 2>/dev/null
"$@"; code=$?
ls "$full" && exit $code`;

const isStack = /\n\s+at .*:\d+/;

test('tools report a full disk with the exit status 1, and leave no files', async (t) => {
  const { db, connectionString, close } = await createTestDatabase();
  t.after(close);
  const own = temporaryDirectory('full-tools');
  await agreeOnSecretKey(db, await loadKeys(own), { dataDir: own, isOnlyService: false });
  const full = join(own, 'full');
  mkdirSync(full);
  const env = { ...process.env, DATABASE_URL: connectionString, BERTH_DATA_DIR: full };
  const run = (tool: string, ...args: string[]) =>
    new Promise<{ code: unknown; left: string; stderr: string }>((resolve) => {
      const command = [full, keyFile(own), process.execPath, toolEntry, tool, ...args];
      execFile(
        'unshare',
        ['--mount', 'sh', '-c', script, 'sh', ...command],
        { env },
        (error, stdout, stderr) => resolve({ code: error?.code ?? 0, left: stdout, stderr }),
      );
    });
  const token = ['create', '--name', 'a', '--scopes', 'admin', '--out', join(full, 'token')];
  for (const [tool, ...args] of [
    ['token', ...token],
    ['db', 'export', join(full, 'berth.gz')],
    ['db', 'rotate-key'],
  ] as const) {
    const { code, left, stderr } = await run(tool, ...args);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /is on a disk that is full \(ENOSPC\)\.\n.*Free disk space there/s);
    assert.doesNotMatch(stderr, isStack);
    assert.equal(left, 'filler\nsecret-key\n');
  }
  assert.deepEqual(await db.selectFrom('tokens').select('name').execute(), []);
});

test('a result that is printed to a full disk is reported as lost', async (t) => {
  const { connectionString, close } = await createTestDatabase();
  t.after(close);
  const env = { ...process.env, DATABASE_URL: connectionString };
  const to = (target: string, ...args: string[]) =>
    new Promise<{ code: unknown; stderr: string }>((resolve) => {
      const command = ['-c', `"$@" ${target}`, 'sh', process.execPath, toolEntry, ...args];
      execFile('sh', command, { env }, (error, _stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stderr }),
      );
    });
  for (const args of [['token', 'list'], ['--help']]) {
    const { code, stderr } = await to('> /dev/full', ...args);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^\nThe output is on a disk that is full \(ENOSPC\), so it is lost\./);
    assert.doesNotMatch(stderr, isStack);
  }
  assert.deepEqual(await to('| head -c 1', 'config', 'show', '--json'), { code: 0, stderr: '' });
});

test('a full disk of the database is explained, and an export is kept', async (t) => {
  const { db, connectionString, close } = await createTestDatabase();
  t.after(close);
  await sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(db);
  await sql`create trigger full_disk before insert on tokens execute function refuse()`.execute(db);
  await sql`create trigger full_disk before update on installation execute function refuse()`.execute(
    db,
  );
  const tool = (name: string) => toolOn(connectionString, name);
  const made = await tool('token')('create', '--name', 'a', '--scopes', 'admin');
  assert.equal(made.code, 1, made.stderr);
  assert.match(made.stderr, /^\nThe disk of the database is full\.\nFree disk space there: /);
  assert.doesNotMatch(made.stderr, isStack);
  const path = join(temporaryDirectory('full-export'), 'berth.gz');
  const exported = await tool('db')('export', path);
  assert.equal(exported.code, 1, exported.stderr);
  assert.match(
    exported.stderr,
    /berth\.gz is complete and can be used\. .*disk of the database is full/,
  );
  assert.doesNotMatch(exported.stderr, isStack);
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { createEmptyDatabase, createTestDatabase } from '../../testing/postgres.ts';
import { temporaryDirectory } from '../../testing/temporary-directory.ts';
import { toolOn } from '../../testing/tool.ts';

// Tests what the command line says when an export or an import fails.

const directory = temporaryDirectory('export-failures');
const source = await createTestDatabase();
after(source.close);
const target = await createEmptyDatabase();
after(target.close);
const whole = join(directory, 'whole.gz');

const runOn = (url: string, ...args: string[]) =>
  toolOn(url, 'db', '', { BERTH_DATA_DIR: join(directory, 'none') })(...args);

before(async () => {
  const { code, stderr } = await runOn(source.connectionString, 'export', whole);
  assert.equal(code, 0, stderr);
});

/** Runs a command that fails. Returns what it says, one line each, without its progress. */
async function failure(url: string, ...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runOn(url, ...args);
  assert.deepEqual([code, stdout], [1, ''], stderr);
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('•'));
}

const exporting = (path: string) => failure(source.connectionString, 'export', path);
const importing = (path: string) => failure(target.connectionString, 'import', path);

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(directory, name), content);
  return join(directory, name);
}

async function isEmpty(): Promise<boolean> {
  const { rows } = await target.pool.query(
    `select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace`,
  );
  return rows[0].count === 0;
}

describe('a failed export', () => {
  it('says why the file cannot be written, and leaves none', async () => {
    const long = join(directory, 'x'.repeat(260));
    assert.deepEqual(await exporting(long), [
      `${long} can't be written: it has a name that is too long (ENAMETOOLONG).`,
      'Choose another file. Use a shorter one.',
    ]);
    const below = join(file('plain', ''), 'berth.gz');
    assert.deepEqual(await exporting(below), [
      `${below} can't be written: it has a file in its path where a directory is expected (ENOTDIR).`,
      'Choose another file. Check the path.',
    ]);
    assert.deepEqual(readdirSync(directory).sort(), ['plain', 'whole.gz']);
  });

  it('says which permission the user of the database lacks', async () => {
    await sql`revoke all on tokens from current_user`.execute(source.db);
    try {
      assert.deepEqual(await exporting(join(directory, 'denied.gz')), [
        "The database can't be exported: the user of the database lacks a permission (42501).",
        '  | permission denied for table tokens',
        'Use the user that the service uses, or make this one the owner of the database.',
      ]);
      assert.ok(!readdirSync(directory).some((name) => name.startsWith('denied')));
    } finally {
      await sql`grant all on tokens to current_user`.execute(source.db);
    }
  });

  it('of the timer says which older export it could not remove, and keeps the new one', async () => {
    const folder = join(directory, 'backups');
    mkdirSync(join(folder, 'berth-20200101T000000Z.gz'), { recursive: true });
    const [said, ...more] = await failure(
      source.connectionString,
      ...['backup', folder, '--keep', '1'],
    );
    const [made = '', ...others] = readdirSync(folder).filter((name) => !name.includes('2020'));
    assert.equal(
      said,
      `${join(folder, made)} is complete, but the older export ${join(folder, 'berth-20200101T000000Z.gz')} can't be removed: it is a directory (EISDIR).`,
    );
    assert.deepEqual([more.length, others], [1, []]);
  });
});

describe('a failed import', () => {
  it('says why the file cannot be read', async () => {
    const missing = join(directory, 'missing.gz');
    assert.deepEqual(await importing(missing), [
      `${missing} can't be read: it does not exist (ENOENT). Nothing was imported.`,
      'Check the path.',
    ]);
    assert.deepEqual(await importing(directory), [
      `${directory} can't be read: it is a directory (EISDIR). Nothing was imported.`,
      'Name a file.',
    ]);
  });

  it('says that the file is damaged', async () => {
    const content = readFileSync(whole);
    content.fill(0xff, 2000, 2100);
    const [said = '', wayOut] = await importing(file('damaged.gz', content));
    assert.match(
      said,
      /damaged\.gz is damaged: it can't be decompressed \(Z_DATA_ERROR\)\. Nothing was imported\.$/,
    );
    assert.equal(wayOut, 'Use another copy of the file, or another export.');
  });

  it('says that the file has other rows than it says', async () => {
    const content = gunzipSync(readFileSync(whole)).toString('latin1');
    const [, rows] = /"name":"projects".*?"rows":(\d+)/.exec(content) ?? [];
    const more = content
      .replace(/("name":"projects".*?"rows":)\d+/, '$199')
      .replace(/sha256 \w+\n$/, '');
    const hash = createHash('sha256').update(more, 'latin1').digest('hex');
    const path = file('rows.gz', gzipSync(Buffer.from(`${more}sha256 ${hash}\n`, 'latin1')));
    assert.deepEqual(await importing(path), [
      `The export has ${rows} rows of the table projects, and not 99 as it says. Nothing was imported.`,
      'Use another export.',
    ]);
    assert.ok(await isEmpty());
  });

  it('says that the user of the database may not create tables', async () => {
    await sql`revoke create on schema public from pg_database_owner`.execute(target.db);
    try {
      const [said = '', wayOut] = await importing(whole);
      assert.match(
        said,
        /^The user \w+ may not create tables in the schema public of the database\.$/,
      );
      assert.match(
        wayOut ?? '',
        /^Make the user the owner of the database, as a superuser: alter database /,
      );
      assert.ok(await isEmpty());
    } finally {
      await sql`grant create on schema public to pg_database_owner`.execute(target.db);
    }
  });
});

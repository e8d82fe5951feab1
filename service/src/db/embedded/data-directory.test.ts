import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SetupError } from '../../../../setup/commands.mjs';
import { makeDataDirectory } from './data-directory.ts';
import { findEmbeddedPostgres, joinEmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';

const root = mkdtempSync(join(tmpdir(), 'berth-data-'));
after(() => rmSync(root, { recursive: true }));

function refusing(words: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof SetupError, String(error));
    assert.match(`${error.message} ${error.wayOut}`, words);
    return true;
  };
}

test('a data directory is created with its parents, for its owner only, and an existing one is kept', async () => {
  const path = join(root, 'a', 'b');
  await makeDataDirectory(path);
  writeFileSync(join(path, 'kept'), 'kept');
  await makeDataDirectory(path);
  assert.equal(readFileSync(join(path, 'kept'), 'utf8'), 'kept');
  assert.equal(statSync(path).mode & 0o777, 0o700);
});

test('a data directory that can not be created is refused, also in /proc', async () => {
  for (const path of ['/proc/foo', '/proc/foo/bar']) {
    const words = new RegExp(`${path} can't be made \\(ENOENT\\)\\. Set BERTH_DATA_DIR`);
    await assert.rejects(makeDataDirectory(path), refusing(words));
    await assert.rejects(startEmbeddedPostgres({ dataDir: path }), refusing(words));
  }
});

test('the error of a tool names the directory without Berth, and the one of a simulation', async () => {
  const words = new RegExp(
    `no Berth in ${root}\\. Use the same BERTH_DATA_DIR.*BERTH_DATA_DIR=data-simulated`,
  );
  await assert.rejects(joinEmbeddedPostgres({ dataDir: root }), refusing(words));
});

test('a file at the path of the data directory, a parent or the database is named, and kept', async () => {
  const file = join(root, 'file');
  writeFileSync(file, 'kept');
  const below = join(file, 'data');
  const opening = [startEmbeddedPostgres, joinEmbeddedPostgres, findEmbeddedPostgres];
  for (const open of opening) {
    await assert.rejects(
      open({ dataDir: file }),
      refusing(/directory \S+file is a file\. Set BER/),
    );
    await assert.rejects(open({ dataDir: below }), refusing(/data can't be made: \S+file is a f/));
  }
  const dataDir = mkdtempSync(join(root, 'x-'));
  const postgres = join(dataDir, 'postgres');
  writeFileSync(postgres, 'kept');
  for (const open of opening) {
    await assert.rejects(open({ dataDir }), refusing(/postgres is a file, where .* Move it elsew/));
  }
  assert.equal(readFileSync(postgres, 'utf8'), 'kept');
});

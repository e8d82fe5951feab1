import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SetupError } from '../../../setup/commands.mjs';
import type { Db } from '../db/connection.ts';
import { importDatabase } from '../db/export/import.ts';
import { keyFile, loadKeys } from '../keys/key-file.ts';
import { fingerprintOf, keySha256 } from '../keys/keyring.ts';
import { agreeOnSecretKey } from '../keys/secret-key.ts';
import { createEmptyDatabase, createTestDatabase } from '../testing/postgres.ts';
import { byTestUser, toolOn } from '../testing/tool.ts';

const root = mkdtempSync(join(tmpdir(), 'berth-db-tool-'));
after(() => rmSync(root, { recursive: true }));

/** Creates a data directory with its own key. */
async function directory(name: string) {
  const dataDir = mkdtempSync(join(root, name));
  const keys = await loadKeys(dataDir);
  const [fingerprint = ''] = keys.map(({ bytes }) => fingerprintOf(keySha256(bytes)));
  return { dataDir, keys, fingerprint };
}

/** Lists the entries of the tool in the audit log, oldest first. */
async function entered(db: Db) {
  return await db
    .selectFrom('audit_log')
    .select(['action', 'status', 'user_id', 'details'])
    .where('source', '=', 'command_line')
    .orderBy('id')
    .execute();
}

test('an export has the fingerprint of its key, is refused with another one, and is in the audit log', async (t) => {
  const [source, target] = [await createTestDatabase(), await createEmptyDatabase()];
  t.after(source.close);
  t.after(target.close);
  const { dataDir, keys, fingerprint } = await directory('own-');
  await agreeOnSecretKey(source.db, keys, { dataDir, isOnlyService: false });
  const file = join(dataDir, 'berth.gz');
  const run = async ({ connectionString }: { connectionString: string }, ...args: string[]) => {
    const place = { BERTH_DATA_DIR: dataDir };
    const tool = toolOn(connectionString, 'db', '', place);
    const { code, stdout, stderr } = await tool(...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };

  const named = new RegExp(`\\(fingerprint ${fingerprint}\\)`);
  assert.match(await run(source, 'export', file), named);

  const other = await directory('other-');
  const quiet = { of: () => () => undefined };
  const imported = importDatabase(target.connectionString, file, quiet, {
    databaseUrl: target.connectionString,
    dataDir: other.dataDir,
  });
  await assert.rejects(imported, (error: Error) => {
    assert.ok(error instanceof SetupError, String(error));
    assert.ok(error.message.includes(`the fingerprint ${fingerprint},`), error.message);
    assert.ok(error.message.includes(`${keyFile(other.dataDir)} has ${other.fingerprint}.`));
    assert.match(error.wayOut, /Replace it with the correct secret-key/);
    return true;
  });

  /** The way out of an import into the database that is in use. The database is checked before the key. */
  const wayOut = async (databaseUrl: string | undefined) => {
    const place = { databaseUrl, dataDir: other.dataDir };
    const inUse = importDatabase(source.connectionString, file, quiet, place);
    let words = '';
    await assert.rejects(inUse, (error: Error) => {
      assert.ok(error instanceof SetupError, String(error));
      assert.match(error.message, /The database is not empty: .* Nothing was imported\.$/);
      words = error.wayOut;
      return true;
    });
    return words;
  };
  const external = await wayOut(source.connectionString);
  assert.match(external, /set DATABASE_URL to it: create database berth_restored encoding UTF8/);
  const embedded = await wayOut(undefined);
  const cluster = join(other.dataDir, 'postgres');
  assert.ok(
    embedded.includes(`Stop Berth and move the current one away: mv ${cluster} `),
    embedded,
  );
  assert.match(embedded, /"Restore" in docs\/installation\.md\.$/);
  assert.match(await run(target, 'import', file), named);
  await run(target, 'rotate-key');
  const after = fingerprintOf(keySha256((await loadKeys(dataDir))[0]?.bytes ?? Buffer.of()));
  assert.notEqual(after, fingerprint);

  const [exported, ...more] = await entered(source.db);
  assert.ok(existsSync(file) && more.length === 0);
  const { details } = exported ?? {};
  assert.equal(details?.file, file);
  const byNobody = { status: 200, user_id: null };
  assert.deepEqual(exported, { action: 'database_export', ...byNobody, details });
  assert.deepEqual(await entered(target.db), [
    { action: 'database_import', ...byNobody, details },
    {
      action: 'secret_key_rotate',
      ...byNobody,
      details: { key: { before: fingerprint, after }, ...byTestUser },
    },
  ]);
});

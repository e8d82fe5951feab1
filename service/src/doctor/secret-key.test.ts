import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { recordSecretKey } from '../db/queries.ts';
import { keyFile, loadKeys } from '../keys/key-file.ts';
import { fingerprintOf, keySha256 } from '../keys/keyring.ts';
import { agreeOnSecretKey } from '../keys/secret-key.ts';
import { keepState } from '../sessions/states.ts';
import { createEmptyDatabase, createTestDatabase } from '../testing/postgres.ts';
import { keyFindings } from './secret-key.ts';

const root = mkdtempSync(join(tmpdir(), 'berth-doctor-key-'));
after(() => rmSync(root, { recursive: true }));

/** Creates a data directory with its own key. */
async function directory() {
  const dataDir = mkdtempSync(join(root, 'x-'));
  const [key] = await loadKeys(dataDir);
  const sha256 = keySha256(key?.bytes ?? Buffer.of());
  return { dataDir, sha256, fingerprint: fingerprintOf(sha256) };
}

const exports = '/x';
const none = { list: () => [] };

test('the key of the database is ok, and another one, a missing one and a damaged one are problems', async (t) => {
  const { db, connectionString, close } = await createTestDatabase();
  t.after(close);
  const [own, other] = [await directory(), await directory()];
  await recordSecretKey(db, own.sha256);
  const look = async (dataDir: string) => {
    const [found] = await keyFindings(none, { databaseUrl: connectionString, dataDir, exports });
    return found;
  };
  assert.equal((await look(own.dataDir))?.state, 'ok');
  const wrong = await look(other.dataDir);
  assert.equal(wrong?.state, 'problem');
  assert.match(
    wrong?.says ?? '',
    new RegExp(`its fingerprint is ${other.fingerprint}, not ${own.fingerprint}$`),
  );
  assert.match(wrong?.wayOut ?? '', /copy of the right one/);
  rmSync(keyFile(own.dataDir));
  const lost = await look(own.dataDir);
  assert.deepEqual(
    [lost?.state, /^there is no .*secret-key/.test(lost?.says ?? '')],
    ['problem', true],
  );
  writeFileSync(keyFile(own.dataDir), 'noise\n');
  assert.match((await look(own.dataDir))?.says ?? '', /must have 32 bytes in hexadecimal/);
});

test('values that are encrypted with a replaced key are a problem, which names that key', async (t) => {
  const { db, connectionString, close } = await createTestDatabase();
  t.after(close);
  const [right, wrong] = [await directory(), await directory()];
  const start = async ({ dataDir }: { dataDir: string }) =>
    (await agreeOnSecretKey(db, await loadKeys(dataDir), { dataDir, isOnlyService: true })).keyring;
  // The first key is also missing, but nothing is encrypted with it.
  await start(await directory());
  await keepState(db, await start(right), 'oidc', { nonce: 'x' });
  await start(wrong);
  const look = async ({ dataDir }: { dataDir: string }) => {
    const [found] = await keyFindings(none, { databaseUrl: connectionString, dataDir, exports });
    return found;
  };
  const found = await look(wrong);
  assert.equal(found?.state, 'problem');
  assert.match(
    found?.says ?? '',
    new RegExp(`^1 encrypted value cannot be read .*: ${right.fingerprint}$`),
  );
  assert.match(found?.wayOut ?? '', /add its line to secret-key/);
  await start(right);
  const after = await look(right);
  assert.equal(after?.state, 'note');
  const words = `fingerprint ${right.fingerprint}\\), but .* used before \\(fingerprint .*${wrong.fingerprint}\\)`;
  assert.match(after?.says ?? '', new RegExp(words));
  assert.match(after?.wayOut ?? '', /export of before.*add its line to secret-key/);
});

test('while the embedded database does not run, the key is compared with that of the last export', async () => {
  const [own, other] = [await directory(), await directory()];
  const { dataDir } = own;
  const place = { databaseUrl: undefined, dataDir };
  assert.deepEqual(await keyFindings(none, { ...place, exports }), [], 'there is no database yet');
  mkdirSync(join(dataDir, 'postgres'));
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '18\n');
  const [alone] = await keyFindings(none, { ...place, exports });
  assert.equal(alone?.state, 'note');
  assert.match(alone?.says ?? '', /could not be compared: .* no export in \/x names its key$/);
  const name = 'berth-20260304T050607Z.gz';
  const look = async (content: string) => {
    writeFileSync(join(dataDir, name), gzipSync(content));
    const [found] = await keyFindings({ list: () => [name] }, { ...place, exports: dataDir });
    return found;
  };
  const header = (key: string) => `${JSON.stringify({ berth_export: 1, key })}\n`;
  assert.equal((await look(header(own.fingerprint)))?.state, 'ok');
  assert.equal((await look('noise\n'))?.state, 'note');
  const wrong = await look(header(other.fingerprint));
  assert.deepEqual(
    [wrong?.state, /^Unless it was changed/.test(wrong?.wayOut ?? '')],
    ['problem', true],
  );
  rmSync(keyFile(dataDir));
  assert.match((await look(header(own.fingerprint)))?.says ?? '', /^there is no .*secret-key/);
});

test('a database that no service has used has no key yet', async (t) => {
  const { connectionString, close } = await createEmptyDatabase();
  t.after(close);
  const { dataDir } = await directory();
  assert.deepEqual(
    await keyFindings(none, { databaseUrl: connectionString, dataDir, exports }),
    [],
  );
});

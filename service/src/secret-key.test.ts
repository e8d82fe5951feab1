import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { agreeOnSecretKey, loadSecretKey } from './secret-key.ts';
import { createTestDatabase } from './testing/postgres.ts';

const { db, close } = await createTestDatabase();
after(close);
const dataDir = await mkdtemp(join(tmpdir(), 'berth-key-'));
after(() => rm(dataDir, { recursive: true }));

test('the first start makes a key that only its owner can read, and later ones keep it', async () => {
  const made = await Promise.all([loadSecretKey(dataDir), loadSecretKey(dataDir)]);
  const again = await loadSecretKey(dataDir);
  for (const key of made) assert.deepEqual(key, again);
  assert.equal(again.length, 32);
  assert.equal((await stat(join(dataDir, 'secret-key'))).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dataDir), ['secret-key']);
});

test('a spoilt key is refused', async () => {
  const spoilt = await mkdtemp(join(dataDir, 'spoilt-'));
  await writeFile(join(spoilt, 'secret-key'), 'abc');
  await assert.rejects(loadSecretKey(spoilt), /must hold 32 bytes/);
});

test('services of one database share a key; a lone one may have lost its own', async () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const shared = { dataDir, isOnlyService: false };
  await agreeOnSecretKey(db, first, shared);
  await agreeOnSecretKey(db, first, shared);
  await assert.rejects(agreeOnSecretKey(db, second, shared), /not the key/);
  const alone = { dataDir, isOnlyService: true };
  assert.equal(await agreeOnSecretKey(db, second, alone), 'replaced');
  assert.equal(await agreeOnSecretKey(db, second, alone), 'known');
  await assert.rejects(agreeOnSecretKey(db, first, shared), /not the key/);
});

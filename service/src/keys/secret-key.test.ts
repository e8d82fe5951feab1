import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTestDatabase } from '../testing/postgres.ts';
import { keyFile, loadKeys, newKey, writeKeyFile } from './key-file.ts';
import { agreeOnSecretKey } from './secret-key.ts';

const { db, close } = await createTestDatabase();
after(close);
const dataDir = await mkdtemp(join(tmpdir(), 'berth-key-'));
after(() => rm(dataDir, { recursive: true }));

test('the first start makes a key that only its owner can read, and later ones keep it', async () => {
  const made = await Promise.all([loadKeys(dataDir), loadKeys(dataDir)]);
  const again = await loadKeys(dataDir);
  for (const keys of made) assert.deepEqual(keys, again);
  assert.deepEqual(
    again.map((key) => key.length),
    [32],
  );
  assert.equal((await stat(keyFile(dataDir))).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dataDir), ['secret-key']);
});

test('a spoilt key is refused', async () => {
  const spoilt = await mkdtemp(join(dataDir, 'spoilt-'));
  const good = 'ab'.repeat(32);
  for (const text of ['', 'abc', `${good}\nabc`, `${good}ab`]) {
    await writeFile(join(spoilt, 'secret-key'), text);
    await assert.rejects(loadKeys(spoilt), /must hold 32 bytes/);
  }
  await writeFile(join(spoilt, 'secret-key'), good);
  assert.equal((await loadKeys(spoilt)).length, 1);
});

test('several keys are a line each, for their owner only, and the first reads as before', async () => {
  const path = join(dataDir, 'several');
  const keys = [newKey(), newKey()];
  await writeKeyFile(path, keys);
  const text = await readFile(path, 'utf8');
  assert.equal(text, keys.map((key) => `${key.toString('hex')}\n`).join(''));
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  // As the release before reads it.
  assert.deepEqual(Buffer.from(text.trim(), 'hex'), keys[0]);
});

test('services of one database share a key; a lone one may have lost its own', async () => {
  const [first, second] = [newKey(), newKey()];
  const shared = { dataDir, isOnlyService: false };
  const current = async (keys: Buffer[], place = shared) =>
    (await agreeOnSecretKey(db, keys, place)).keyring.state.current;
  assert.deepEqual(await current([first]), first);
  assert.deepEqual(await current([second, first]), first, 'the database says which');
  await assert.rejects(current([second]), /not the key/);
  const alone = { dataDir, isOnlyService: true };
  assert.equal((await agreeOnSecretKey(db, [second], alone)).outcome, 'replaced');
  assert.equal((await agreeOnSecretKey(db, [second], alone)).outcome, 'known');
  await assert.rejects(current([first]), /not the key/);
});

test('a key that was lost and is put back is not called another one', async (t) => {
  const lone = await createTestDatabase();
  t.after(lone.close);
  const outcome = async (key: Buffer) =>
    (await agreeOnSecretKey(lone.db, [key], { dataDir, isOnlyService: true })).outcome;
  const [right, made, wrong] = [newKey(), newKey(), newKey()];
  assert.equal(await outcome(right), 'known');
  // As at a start on a restored database before the key was put in its place.
  assert.equal(await outcome(made), 'replaced');
  assert.equal(await outcome(right), 'returned');
  assert.equal(await outcome(right), 'known');
  assert.equal(await outcome(wrong), 'replaced');
  assert.equal(await outcome(made), 'returned', 'also the one in between');
  assert.equal(await outcome(right), 'returned');
});

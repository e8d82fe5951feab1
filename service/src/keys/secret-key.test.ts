import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTestDatabase } from '../testing/postgres.ts';
import { keyFile, loadKeys, newKey, writeKeyFile } from './key-file.ts';
import { fingerprintOf, type Key, keySha256 } from './keyring.ts';
import { agreeOnSecretKey, joinSecretKey } from './secret-key.ts';

const { db, close } = await createTestDatabase();
after(close);
const dataDir = await mkdtemp(join(tmpdir(), 'berth-key-'));
after(() => rm(dataDir, { recursive: true }));

test('the first start creates a key that only its owner can read, and later starts keep it', async () => {
  const made = await Promise.all([loadKeys(dataDir), loadKeys(dataDir)]);
  const again = await loadKeys(dataDir);
  for (const keys of made) assert.deepEqual(keys, again);
  assert.deepEqual(
    again.map(({ bytes, isBound }) => [bytes.length, isBound]),
    [[32, true]],
  );
  assert.equal((await stat(keyFile(dataDir))).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dataDir), ['secret-key']);
});

test('an invalid key is refused', async () => {
  const spoilt = await mkdtemp(join(dataDir, 'spoilt-'));
  const good = 'ab'.repeat(32);
  const holds = async (text: string) => {
    await writeFile(join(spoilt, 'secret-key'), text);
    return (await loadKeys(spoilt)).map(({ isBound }) => isBound);
  };
  for (const text of ['', 'abc', `${good}\nabc`, `${good}ab`, 'bound', `${good}\nbound`]) {
    await assert.rejects(holds(text), /must have 32 bytes/);
  }
  for (const text of [`${good} ${good}`, `${good} Bound`, `${good} bound ${good}`]) {
    await assert.rejects(holds(text), /must have one key in each line/);
  }
  assert.deepEqual(await holds(good), [false]);
  assert.deepEqual(await holds(`${good} bound`), [true]);
  assert.deepEqual(await holds(`${good}\r\n${good} bound\r\n`), [false, true]);
});

test('several keys are one per line, readable by the owner only, and the first is the same as before', async () => {
  const path = join(dataDir, 'several');
  const [first, second] = [{ ...newKey(), isBound: false }, newKey()];
  await writeKeyFile(path, [first, second]);
  const text = await readFile(path, 'utf8');
  assert.equal(text, `${first.bytes.toString('hex')}\n${second.bytes.toString('hex')} bound\n`);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  // The previous release reads it in this way.
  assert.deepEqual(Buffer.from(text.trim(), 'hex'), first.bytes);
});

test('services of one database share a key; a single one may have lost its own', async () => {
  const [first, second] = [newKey(), newKey()];
  const shared = { dataDir, isOnlyService: false };
  const current = async (keys: Key[], place = shared) =>
    (await agreeOnSecretKey(db, keys, place)).keyring.state.current;
  assert.deepEqual(await current([first]), first);
  assert.deepEqual(await current([second, first]), first, 'the database identifies the key');
  await assert.rejects(current([second]), /not the key/);
  const alone = { dataDir, isOnlyService: true };
  assert.equal((await agreeOnSecretKey(db, [second], alone)).outcome, 'replaced');
  assert.equal((await agreeOnSecretKey(db, [second], alone)).outcome, 'known');
  await assert.rejects(current([first]), /not the key/);
});

test('a tool neither creates nor replaces a key', async (t) => {
  const lone = await createTestDatabase();
  t.after(lone.close);
  const directory = await mkdtemp(join(dataDir, 'tool-'));
  const [right, wrong] = [newKey(), newKey()];
  const outcome = async (key: Key) =>
    (await agreeOnSecretKey(lone.db, [key], { dataDir, isOnlyService: true })).outcome;
  assert.equal(await outcome(right), 'known');
  // This is the case on a restored database before the key was restored.
  await assert.rejects(joinSecretKey(lone.db, directory), /secret-key does not exist/);
  assert.deepEqual(await readdir(directory), []);
  await writeKeyFile(keyFile(directory), [wrong]);
  const [theirs, ours] = [wrong, right].map(({ bytes }) => fingerprintOf(keySha256(bytes)));
  const words = new RegExp(`is not the key .* fingerprint is ${theirs}, not ${ours}`);
  await assert.rejects(joinSecretKey(lone.db, directory), words);
  assert.equal(await outcome(right), 'known');
  await writeKeyFile(keyFile(directory), [right]);
  assert.deepEqual((await joinSecretKey(lone.db, directory)).state.current, right);
});

test('a replaced key is named with those that it had replaced, except the ones that are in the file', async (t) => {
  const lone = await createTestDatabase();
  t.after(lone.close);
  const [right, wrong, another] = [newKey(), newKey(), newKey()];
  const start = (...keys: Key[]) =>
    agreeOnSecretKey(lone.db, keys, { dataDir, isOnlyService: true });
  assert.deepEqual((await start(right)).earlier, []);
  assert.deepEqual((await start(wrong)).earlier, []);
  const { noted, earlier } = await start(another);
  assert.deepEqual(noted, keySha256(wrong.bytes));
  assert.deepEqual(earlier, [fingerprintOf(keySha256(right.bytes))]);
  const lacking = (await start(another, right)).earlier;
  assert.deepEqual(lacking, [fingerprintOf(keySha256(wrong.bytes))]);
});

test('a lost key that is restored counts as the same key', async (t) => {
  const lone = await createTestDatabase();
  t.after(lone.close);
  const outcome = async (key: Key) =>
    (await agreeOnSecretKey(lone.db, [key], { dataDir, isOnlyService: true })).outcome;
  const [right, made, wrong] = [newKey(), newKey(), newKey()];
  assert.equal(await outcome(right), 'known');
  // This happens at a start with a restored database before the key was restored.
  assert.equal(await outcome(made), 'replaced');
  assert.equal(await outcome(right), 'returned');
  assert.equal(await outcome(right), 'known');
  assert.equal(await outcome(wrong), 'replaced');
  assert.equal(await outcome(made), 'returned', 'a key that replaced the lost one counts as well');
  assert.equal(await outcome(right), 'returned');
});

import assert from 'node:assert/strict';
import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { createTestDatabase } from '../testing/postgres.ts';
import { keyFile, loadKeys } from './key-file.ts';
import type { Keyring } from './keyring.ts';
import { signInState } from './places.ts';
import { rotateKey } from './rotation.ts';
import { agreeOnSecretKey, lookAtKeys, mayBeUnbound } from './secret-key.ts';

// Tests an attacker who can write to the database, and sets it to the format of values without a bound place.

const root = mkdtempSync(join(tmpdir(), 'berth-downgrade-'));
after(() => rmSync(root, { recursive: true }));

const mine = signInState('oidc', Buffer.alloc(32, 1));
const other = signInState('oidc', Buffer.alloc(32, 2));
const secret = { password: 'mine' };

/** An installation with this key file, or without one, and the actions of an attacker and a restart. */
async function installationWith(t: TestContext, file?: string) {
  const database = await createTestDatabase();
  t.after(database.close);
  const { db } = database;
  const dataDir = mkdtempSync(join(root, 'x-'));
  if (file !== undefined) writeFileSync(keyFile(dataDir), file);
  const set = (sealing: 'unbound' | 'mixed' | 'bound') =>
    db.updateTable('installation').set({ sealing }).execute();
  const start = async () => {
    const keys = await loadKeys(dataDir);
    return (await agreeOnSecretKey(db, keys, { dataDir, isOnlyService: false })).keyring;
  };
  const rotate = () => rotateKey({ db, dataDir, say: () => undefined, steadyMs: 0 });
  return { db, dataDir, set, start, rotate };
}

const firstKey = (dataDir: string) =>
  Buffer.from(readFileSync(keyFile(dataDir), 'utf8').slice(0, 64), 'hex');

/** Seals a value like the previous release. */
function sealedUnbound(key: Buffer, value: unknown): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function staysBound(keyring: Keyring, key: Buffer): void {
  const sealed = keyring.seal(mine, secret);
  assert.deepEqual(keyring.open(mine, sealed), secret);
  assert.equal(keyring.open(other, sealed), undefined, 'new values are bound');
  assert.equal(
    keyring.open(mine, sealedUnbound(key, secret)),
    undefined,
    'the previous format is not read',
  );
  assert.equal(keyring.mac('words', 'x').length, 40);
  const mac = createHmac('sha256', key).update('x').digest();
  assert.equal(keyring.isMac('words', 'x', mac), false);
}

test('under a key of this release, the previous format is neither written nor read', async (t) => {
  const { db, dataDir, set, start } = await installationWith(t);
  const keyring = await start();
  for (const level of ['unbound', 'mixed'] as const) {
    await set(level);
    await lookAtKeys({ keyring, db, dataDir });
    staysBound(keyring, firstKey(dataDir));
    staysBound(await start(), firstKey(dataDir));
  }
});

test('a running service never returns to the previous format, whatever its key', async (t) => {
  const key = randomBytes(32);
  const { db, dataDir, set, start } = await installationWith(t, `${key.toString('hex')}\n`);
  const keyring = await start();
  for (const level of ['unbound', 'mixed'] as const) {
    await set(level);
    await lookAtKeys({ keyring, db, dataDir });
    staysBound(keyring, key);
  }
});

test('after a rotation the previous format is no longer used', async (t) => {
  const old = randomBytes(32);
  const { db, dataDir, set, start, rotate } = await installationWith(t, `${old.toString('hex')}\n`);
  assert.ok(mayBeUnbound(await start()), 'an upgraded installation asks for a rotation');
  await set('unbound');
  const before = (await start()).seal(mine, secret);
  assert.deepEqual(
    (await start()).open(other, before),
    secret,
    'the key of the previous release is not bound',
  );
  assert.equal((await rotate()).left, 'nothing');
  await set('unbound');
  const keyring = await start();
  staysBound(keyring, firstKey(dataDir));
  assert.ok(!mayBeUnbound(keyring));
  assert.equal(keyring.open(mine, before), undefined);
  await lookAtKeys({ keyring, db, dataDir });
  staysBound(keyring, firstKey(dataDir));
});

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTestToken } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { ensureAdminToken } from './admin.ts';
import { findTokenByHash, revokeToken } from './credential-queries.ts';
import { tokenHash } from './token.ts';

const { db, close } = await createTestDatabase();
after(close);
const dataDir = await mkdtemp(join(tmpdir(), 'berth-admin-'));
after(() => rm(dataDir, { recursive: true }));

async function ensure() {
  const admin = await ensureAdminToken(db, dataDir);
  assert.ok(typeof admin === 'object', String(admin));
  return admin;
}

const holds = async (token: string) => (await findTokenByHash(db, tokenHash(token))) !== undefined;

test('the first start writes a token to a file that only its owner can read', async () => {
  const { token, created, path } = await ensure();
  assert.ok(created);
  assert.equal((await readFile(path, 'utf8')).trim(), token);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual((await findTokenByHash(db, tokenHash(token)))?.scopes, ['admin']);
});

test('later starts keep the token', async () => {
  const first = await ensure();
  assert.equal(first.created, false);
  assert.equal((await ensure()).token, first.token);
});

test('a lost or invalid file is replaced by a new token, and the old one is revoked', async () => {
  const path = join(dataDir, 'admin-token');
  for (const spoil of [() => rm(path), () => writeFile(path, 'berth_nonsense')]) {
    const before = await ensure();
    await spoil();
    const next = await ensure();
    assert.ok(next.created);
    assert.notEqual(next.token, before.token);
    assert.equal(await holds(before.token), false);
    assert.ok(await holds(next.token));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  }
});

test('tokens created with a lost token stay valid, and are revoked with its successor', async () => {
  const before = await ensure();
  const found = await findTokenByHash(db, tokenHash(before.token));
  const child = await createTestToken(db);
  await db
    .updateTable('tokens')
    .set({ parent_id: found?.id ?? 0 })
    .where('id', '=', child.id)
    .execute();
  await rm(before.path);
  const next = await ensure();
  assert.equal(await holds(before.token), false);
  assert.ok(await holds(child.token));
  const { id } = (await findTokenByHash(db, tokenHash(next.token))) ?? { id: 0 };
  await revokeToken(db, id);
  assert.equal(await holds(child.token), false);
});

test('a revoked token is not replaced, with or without its file', async () => {
  await forget();
  const { token, path } = await ensure();
  const found = await findTokenByHash(db, tokenHash(token));
  await revokeToken(db, found?.id ?? 0);
  const kept = await readFile(path, 'utf8');
  assert.equal(await ensureAdminToken(db, dataDir), 'revoked');
  assert.equal(await readFile(path, 'utf8'), kept);
  await rm(path);
  assert.equal(await ensureAdminToken(db, dataDir), 'revoked');
  assert.equal(await ensureAdminToken(db, join(dataDir, 'second'), false), 'revoked');
  // A token of the same name that somebody else has created is another token.
  const { id } = await createTestToken(db);
  const values = { name: 'first admin token', parent_id: found?.id ?? 0 };
  await db.updateTable('tokens').set(values).where('id', '=', id).execute();
  assert.equal(await ensureAdminToken(db, dataDir), 'revoked');
});

/** Resets the database and the directory, as if they had never had a token. */
async function forget(): Promise<void> {
  await rm(join(dataDir, 'admin-token'), { force: true });
  await db.updateTable('tokens').set({ name: 'another' }).execute();
}

test('an unreadable file is an error, and creates no new token', async () => {
  await forget();
  const { path } = await ensure();
  await assert.rejects(ensureAdminToken(db, path), { code: 'ENOTDIR' });
});

test('of the processes that share a database, one has the file of the token', async () => {
  await forget();
  const { token } = await ensure();
  const elsewhere = join(dataDir, 'second');
  assert.equal(await ensureAdminToken(db, elsewhere, false), 'elsewhere');
  assert.ok(await holds(token));
  assert.deepEqual(await ensureAdminToken(db, dataDir, false), await ensure());
  await forget();
  const made = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      await mkdir(join(dataDir, name));
      return await ensureAdminToken(db, join(dataDir, name), false);
    }),
  );
  const kept = made.filter((admin) => typeof admin === 'object');
  assert.equal(kept.length, 1, 'processes that start at the same time create one token');
  assert.ok(await holds(kept[0]?.token ?? ''));
});

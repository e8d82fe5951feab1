import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTestDatabase } from '../testing/postgres.ts';
import { ensureAdminToken } from './admin.ts';
import { findTokenByHash } from './queries.ts';
import { tokenHash } from './token.ts';

const { db, close } = await createTestDatabase();
after(close);
const dataDir = await mkdtemp(join(tmpdir(), 'berth-admin-'));
after(() => rm(dataDir, { recursive: true }));

const holds = async (token: string) => (await findTokenByHash(db, tokenHash(token))) !== undefined;

test('the first start makes a token that only its owner can read', async () => {
  const { token, created, path } = await ensureAdminToken(db, dataDir);
  assert.ok(created);
  assert.equal((await readFile(path, 'utf8')).trim(), token);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual((await findTokenByHash(db, tokenHash(token)))?.scopes, ['admin']);
});

test('later starts keep it', async () => {
  const first = await ensureAdminToken(db, dataDir);
  assert.equal(first.created, false);
  assert.equal((await ensureAdminToken(db, dataDir)).token, first.token);
});

test('a lost or spoilt file means a new token, and the old one ends', async () => {
  const path = join(dataDir, 'admin-token');
  for (const spoil of [() => rm(path), () => writeFile(path, 'berth_nonsense')]) {
    const before = await ensureAdminToken(db, dataDir);
    await spoil();
    const next = await ensureAdminToken(db, dataDir);
    assert.ok(next.created);
    assert.notEqual(next.token, before.token);
    assert.equal(await holds(before.token), false);
    assert.ok(await holds(next.token));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  }
});

test('a revoked token is replaced', async () => {
  const { token } = await ensureAdminToken(db, dataDir);
  await db.updateTable('tokens').set({ revoked_at: new Date() }).execute();
  const next = await ensureAdminToken(db, dataDir);
  assert.ok(next.created);
  assert.notEqual(next.token, token);
});

test('a file that can not be read is an error, not a new token', async () => {
  await assert.rejects(ensureAdminToken(db, join(dataDir, 'admin-token')), { code: 'ENOTDIR' });
});

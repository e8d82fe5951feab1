import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createTestUser } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { generateCode, isCode } from './code.ts';
import { offerSetup } from './offer.ts';
import { findCodeHash } from './queries.ts';

const { db, close } = await createTestDatabase();
after(close);
const folder = await mkdtemp(join(tmpdir(), 'berth-offer-'));
after(() => rm(folder, { recursive: true }));
const [here, there] = [join(folder, 'here'), join(folder, 'there')];
for (const path of [here, there]) await mkdir(path);

async function offer(dataDir = here, isOnlyService = true) {
  const offered = await offerSetup(db, dataDir, isOnlyService);
  assert.ok(typeof offered === 'object', String(offered));
  return offered;
}

async function isValid(code: string): Promise<boolean> {
  const hash = await findCodeHash(db);
  return hash !== undefined && isCode(hash, code);
}

test('a code has five groups, without letters that look like digits, and is never the same', () => {
  const codes = Array.from({ length: 100 }, generateCode);
  for (const code of codes)
    assert.match(code, /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
  assert.equal(new Set(codes).size, codes.length);
});

test('a start writes a new code to a file that only its owner can read, and the previous one ends', async () => {
  const first = await offer();
  assert.equal(await readFile(first.path, 'utf8'), `${first.code}\n`);
  assert.equal((await stat(first.path)).mode & 0o777, 0o600);
  assert.ok(await isValid(first.code));
  const second = await offer();
  assert.deepEqual([await isValid(first.code), await isValid(second.code)], [false, true]);
});

test('another service of the database leaves a valid code to the one that made it', async () => {
  const { code } = await offer(here, false);
  assert.equal(await offerSetup(db, there, false), 'elsewhere');
  assert.ok(await isValid(code));
  const next = await offer(here, false);
  assert.notEqual(next.code, code, 'its own service replaces it');
  await sql`update installation set setup_code_expires_at = now()`.execute(db);
  const later = await offer(there, false);
  assert.ok(await isValid(later.code), 'an expired one is replaced by any of them');
});

test('of services that start together on one database, one has the code', async () => {
  await sql`update installation set setup_code_expires_at = now()`.execute(db);
  await rm(join(there, 'setup-code'));
  await rm(join(here, 'setup-code'));
  const offered = await Promise.all([here, there].map((path) => offerSetup(db, path, false)));
  assert.equal(offered.filter((one) => one === 'elsewhere').length, 1);
});

test('once there is a user, a start removes the code and its file', async () => {
  const { code, path } = await offer();
  await createTestUser(db);
  assert.equal(await isValid(code), false);
  assert.equal(await offerSetup(db, here), 'over');
  await assert.rejects(stat(path), { code: 'ENOENT' });
  const query = db.selectFrom('installation').select('setup_code_sha256 as hash');
  assert.deepEqual(await query.execute(), [{ hash: null }]);
});

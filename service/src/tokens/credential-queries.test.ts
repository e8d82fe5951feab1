import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import type { Role } from '../db/schema/people-schema.ts';
import { markProjectDeleted } from '../projects/queries.ts';
import { insertSession } from '../sessions/queries.ts';
import { createTestProject, createTestUser } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import {
  findKnownHashes,
  findTokenByHash,
  findTokenInHistory,
  isLastAdminToken,
  listTokens,
  lockTokensNamed,
  recordTokenUse,
  revokeToken,
  statusOfTokensNamed,
  supersedeTokensNamed,
} from './credential-queries.ts';

const { db, close } = await createTestDatabase();
after(close);

const projectId = await createTestProject(db, 'home');
const otherId = await createTestProject(db, 'Other');
const goneId = await createTestProject(db, 'gone');
const [past, future] = ['2020-01-01T00:00:00.000000Z', '2999-01-01T00:00:00.000000Z'];

interface Entered {
  name?: string;
  project_id?: number;
  scopes?: string[];
  created_at?: string;
  created_by?: number;
  parent_id?: number;
  allowed_networks?: string[];
  expires_at?: string;
  revoked_at?: string;
}

async function enter(values: Entered = {}): Promise<{ id: number; hash: Buffer }> {
  const hash = randomBytes(32);
  const row = { name: 'x', project_id: projectId, scopes: ['admin'], ...values };
  const query = db.insertInto('tokens').values({ ...row, secret_sha256: hash });
  return { hash, ...(await query.returning('id').executeTakeFirstOrThrow()) };
}

const rowOf = (id: number) =>
  db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const person = async (role?: Role, isAdmin = false) =>
  (await createTestUser(db, { isAdmin, roles: role ? { [projectId]: role } : {} })).id;

async function disabled(userId: number): Promise<number> {
  await db.updateTable('users').set({ disabled_at: past }).where('id', '=', userId).execute();
  return userId;
}

before(() => db.transaction().execute((trx) => markProjectDeleted(trx, goneId)));

test('a token is found with its scopes, role, expiry and networks', async () => {
  const created_by = await person('viewer');
  await enter({ created_by });
  const scopes = ['servers:read', 'servers:write'];
  const allowed_networks = ['10.0.0.0/8', '2001:db8::/32'];
  const token = await enter({ created_by, scopes, allowed_networks, expires_at: future });
  const found = await findTokenByHash(db, token.hash);
  const { expiresInMs, ...others } = found ?? {};
  assert.ok(Number(expiresInMs) > 0);
  const expected = {
    ...{ id: token.id, projectId, scopes, createdBy: created_by, isAdmin: false, role: 'viewer' },
    ...{ expiresAt: future, isExpired: false, allowedNetworks: allowed_networks },
    ...{ wantedProjectId: null as number | null, isNoted: false },
  };
  assert.deepEqual(others, expected);
  for (const [wanted, wantedProjectId] of [
    [{ id: otherId }, otherId],
    [{ name: 'oTHER' }, otherId],
    [{ id: goneId }, null],
    [{ name: 'gone' }, null],
    [{ name: 'none' }, null],
  ] as const) {
    const { expiresInMs: _, ...asked } = (await findTokenByHash(db, token.hash, wanted)) ?? {};
    assert.deepEqual(asked, { ...expected, wantedProjectId }, JSON.stringify(wanted));
  }
  const own = await findTokenByHash(db, (await enter({ expires_at: past })).hash);
  assert.deepEqual(
    [own?.createdBy, own?.role, own?.isAdmin, own?.isExpired],
    [null, null, false, true],
  );
  const endless = await findTokenByHash(db, (await enter()).hash);
  assert.deepEqual(
    [endless?.expiresAt, endless?.expiresInMs, endless?.isExpired],
    [null, null, false],
  );
});

test('a token is not found if it is revoked, or its project or user is gone', async () => {
  const isFound = async (values: Entered) =>
    (await findTokenByHash(db, (await enter(values)).hash)) !== undefined;
  assert.equal(await isFound({ revoked_at: past }), false);
  assert.equal(await isFound({ project_id: goneId }), false);
  assert.equal(await isFound({ created_by: await person() }), false);
  const ofMember = { created_by: await person('member') };
  assert.equal(await isFound(ofMember), true);
  assert.equal(await isFound({ ...ofMember, project_id: otherId }), false);
  assert.equal(await isFound({ created_by: await disabled(await person('owner')) }), false);
  const ofAdmin = await findTokenByHash(
    db,
    (await enter({ created_by: await person(undefined, true) })).hash,
  );
  assert.deepEqual([ofAdmin?.isAdmin, ofAdmin?.role], [true, null]);
  assert.equal(await findTokenByHash(db, randomBytes(32)), undefined);
});

test('a revoked token is found in history with what the audit log records', async () => {
  const created_by = await person();
  const former = await enter({ created_by, project_id: goneId, revoked_at: past });
  const reads = await enter({ scopes: ['servers:read', 'metrics:read'] });
  assert.deepEqual(await findTokenInHistory(db, former.hash), {
    ...{ tokenId: former.id, projectId: goneId, userId: created_by, byAdministrator: true },
  });
  assert.deepEqual(await findTokenInHistory(db, reads.hash), {
    ...{ tokenId: reads.id, projectId, userId: null, byAdministrator: false },
  });
  assert.equal(await findTokenInHistory(db, randomBytes(32)), undefined);
});

test('the hashes of unrevoked tokens and of sessions are known, and no others', async () => {
  const [held, expired] = [await enter(), await enter({ expires_at: past })];
  const revoked = await enter({ revoked_at: past });
  await enter();
  const [session, unasked] = [randomBytes(32), randomBytes(32)];
  const userId = await person('member');
  for (const hash of [session, unasked]) {
    await db
      .transaction()
      .execute((trx) => insertSession(trx, { hash, userId, address: '::1', userAgent: '' }));
  }
  const asked = [held.hash, revoked.hash, session, randomBytes(32), expired.hash];
  const known = await findKnownHashes(db, asked);
  const hex = (hashes: Buffer[]) => hashes.map((hash) => hash.toString('hex')).sort();
  assert.deepEqual(hex(known), hex([held.hash, session, expired.hash]));
  assert.deepEqual(await findKnownHashes(db, []), []);
});

test('the use of a token is recorded once a minute at most', async () => {
  const [used, other] = [await enter(), await enter()];
  const lastUse = async ({ id }: { id: number }) => (await rowOf(id)).last_used_at;
  await recordTokenUse(db, used.id);
  const first = await lastUse(used);
  assert.ok(first);
  assert.equal(await lastUse(other), null);
  assert.equal((await findTokenByHash(db, used.hash))?.isNoted, true);
  // This does not depend on the duration of the test.
  await db.updateTable('tokens').set({ last_used_at: future }).execute();
  await recordTokenUse(db, used.id);
  assert.equal(await lastUse(used), future);
  await db.updateTable('tokens').set({ last_used_at: past }).execute();
  assert.equal((await findTokenByHash(db, used.hash))?.isNoted, false);
  await recordTokenUse(db, used.id);
  assert.ok(String(await lastUse(used)) >= first);
  assert.equal(await lastUse(other), past);
});

test('all tokens are listed by id, with their state', async () => {
  await db.deleteFrom('tokens').execute();
  // Without an order, they are returned as they were inserted, or by project.
  const kept = await enter({ created_at: past, name: 'kept' });
  await sql`alter table tokens alter column id restart with 1`.execute(db);
  const revoked = { project_id: goneId, scopes: ['servers:read'], revoked_at: past };
  const gone = await enter({ created_at: past, ...revoked });
  const ended = await enter({ created_at: past, expires_at: past });
  const shown = { created_at: past, last_used_at: null, expires_at: null, isExpired: false };
  const admin = { scopes: ['admin'], project: 'home', revoked_at: null };
  assert.deepEqual(await listTokens(db), [
    {
      ...{ ...shown, id: gone.id, name: 'x', project: 'gone' },
      ...{ scopes: ['servers:read'], revoked_at: past },
    },
    { ...shown, ...admin, id: ended.id, name: 'x', expires_at: past, isExpired: true },
    { ...shown, ...admin, id: kept.id, name: 'kept' },
  ]);
});

test('tokens of a name are locked until the transaction ends', async () => {
  await db.transaction().execute(async (holder) => {
    await lockTokensNamed(holder, 'x');
    const waiting = db.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = '50ms'`.execute(trx);
      await lockTokensNamed(trx, 'y');
      await lockTokensNamed(trx, 'x');
    });
    await assert.rejects(waiting, /lock timeout/);
  });
  await db.transaction().execute((trx) => lockTokensNamed(trx, 'x'));
});

test('a token is the last admin token if no other one is valid', async () => {
  await db.deleteFrom('tokens').execute();
  const last = await enter();
  const child = await enter({ parent_id: last.id });
  const reads = await enter({ scopes: ['servers:write', 'metrics:read'] });
  const isLast = ({ id }: { id: number }) => isLastAdminToken(db, id);
  const areLast = async () => [await isLast(last), await isLast(child), await isLast(reads)];
  assert.deepEqual(await areLast(), [true, false, false]);
  const admin = await person(undefined, true);
  for (const none of [
    { expires_at: past },
    { revoked_at: past },
    { project_id: goneId },
    { created_by: await person('owner') },
    { created_by: await disabled(await person(undefined, true)) },
    { scopes: ['servers:write'], created_by: admin },
  ]) {
    await enter(none);
    assert.deepEqual(await areLast(), [true, false, false], JSON.stringify(none));
  }
  for (const another of [{}, { expires_at: future }, { created_by: admin }]) {
    const { id } = await enter(another);
    assert.deepEqual(await areLast(), [false, false, false], JSON.stringify(another));
    await revokeToken(db, id);
  }
  assert.deepEqual(await areLast(), [true, false, false]);
  await revokeToken(db, last.id);
  assert.deepEqual(await areLast(), [false, false, false], 'no token is valid anyway');
});

test('a token is revoked only once, and alone', async () => {
  const [token, other] = [await enter({ project_id: otherId }), await enter()];
  assert.equal(await revokeToken(db, token.id), otherId);
  const { revoked_at } = await rowOf(token.id);
  assert.ok(revoked_at);
  assert.equal(await revokeToken(db, token.id), undefined);
  assert.deepEqual((await rowOf(token.id)).revoked_at, revoked_at);
  assert.equal((await rowOf(other.id)).revoked_at, null);
});

test('the children of superseded tokens are moved to the successor', async () => {
  const name = 'succeeded';
  const [first, second, revoked] = [
    await enter({ name }),
    await enter({ name }),
    await enter({ name, revoked_at: past }),
  ];
  const different = await enter({ name: 'different' });
  const kept = await enter({ parent_id: first.id });
  const ended = await enter({ parent_id: second.id, revoked_at: past });
  const ofDifferent = await enter({ parent_id: different.id });
  const next = await enter({ name });
  await db.transaction().execute((trx) => supersedeTokensNamed(trx, name, next.id));
  const rows = async (...tokens: { id: number }[]) =>
    await Promise.all(
      tokens.map(async ({ id }) => {
        const { parent_id, revoked_at } = await rowOf(id);
        return [parent_id, revoked_at];
      }),
    );
  const [{ revoked_at: now }] = [await rowOf(first.id)];
  assert.ok(now);
  assert.deepEqual(await rows(first, second, revoked, next, different), [
    [null, now],
    [null, now],
    [null, past],
    [null, null],
    [null, null],
  ]);
  assert.deepEqual(await rows(kept, ended, ofDifferent), [
    [next.id, null],
    [second.id, past],
    [different.id, null],
  ]);
});

test('tokens with a name are valid while one is, and those created over the API do not count', async () => {
  const name = 'named';
  const status = () => db.transaction().execute((trx) => statusOfTokensNamed(trx, name));
  assert.equal(await status(), undefined);
  const parent = await enter({ name: 'another' });
  await enter({ name, parent_id: parent.id });
  await enter({ name, created_by: await person('owner') });
  assert.equal(await status(), undefined);
  const one = await enter({ name });
  assert.equal(await status(), 'holds');
  await revokeToken(db, one.id);
  assert.equal(await status(), 'revoked');
  await enter({ name });
  assert.equal(await status(), 'holds');
  await sql`update tokens set revoked_at = now() where name = ${name}`.execute(db);
  assert.equal(await status(), 'revoked');
});

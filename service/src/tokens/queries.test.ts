import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { Project } from '../db/project.ts';
import { createTestProject } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import {
  findKinship,
  findTokensNamed,
  insertToken,
  knownTokens,
  markTokenRevoked,
} from './queries.ts';

const { db, close } = await createTestDatabase();
after(close);
const project = new Project(db, await createTestProject(db, 'one'));
const other = new Project(db, await createTestProject(db, 'other'));

async function enter(name: string, of = project, parentId: number | null = null): Promise<number> {
  const hash = randomBytes(32);
  const rights = { scopes: ['admin'] as const, allowedNetworks: [], expiresAt: null };
  const id = await insertToken(of, { name, hash, ...rights, createdBy: null, parentId });
  assert.ok(id);
  return id;
}

/** Updates rows, which are returned last without an order. */
const rewrite = (id: number) =>
  db.updateTable('tokens').set({ last_used_at: null }).where('id', '=', id).execute();

test('the first ten tokens of a project with a name are found, in any case of letters', async () => {
  const gone = await enter('twin');
  await markTokenRevoked(project, gone);
  await enter('twin', other);
  await enter('twin-2');
  const names = ['twin', 'Twin', ...Array<string>(9).fill('TWIN')];
  const tokens: { id: number; name: string }[] = [];
  for (const name of names) tokens.push({ id: await enter(name), name });
  await rewrite(tokens[0]?.id ?? 0);
  assert.deepEqual(await findTokensNamed(project, 'tWiN'), tokens.slice(0, 10));
  assert.deepEqual(await findTokensNamed(project, 'none'), []);
});

test('the known ids of a project include those of revoked tokens', async () => {
  const [kept, gone, unasked] = [await enter('a'), await enter('b'), await enter('c')];
  await markTokenRevoked(project, gone);
  const foreign = await enter('d', other);
  const known = await knownTokens(project, [gone, kept, foreign, 999_999]);
  assert.deepEqual(known.sort(), [kept, gone]);
  assert.ok(unasked > gone);
});

test('a token descends from itself and from the tokens that it was created with', async () => {
  const parent = await enter('parent');
  const child = await enter('child', project, parent);
  const grandchild = await enter('grandchild', other, child);
  const stranger = await enter('stranger');
  const [of, makerOf, neither] = [
    { isOf: true, isMakerOf: false },
    { isOf: false, isMakerOf: true },
    { isOf: false, isMakerOf: false },
  ];
  assert.deepEqual(await findKinship(project, child, parent), of);
  assert.deepEqual(await findKinship(other, grandchild, parent), of);
  assert.deepEqual(await findKinship(project, child, child), of);
  assert.deepEqual(await findKinship(project, parent, grandchild), makerOf);
  assert.deepEqual(await findKinship(project, child, grandchild), makerOf);
  assert.deepEqual(await findKinship(project, stranger, grandchild), neither);
  assert.deepEqual(await findKinship(project, child, stranger), neither);
});

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { findProjectNamed } from '../projects/queries.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { byTestUser, toolInTerminal, toolOn } from '../testing/tool.ts';
import { findTokenByHash, insertToken } from '../tokens/credential-queries.ts';
import { isWellFormed, tokenHash } from '../tokens/token.ts';

const { db, connectionString, close } = await createTestDatabase();
after(close);

const run = toolOn(connectionString, 'token');
const create = ['create', '--name', 'x', '--scopes', 'admin'];

test('a token is created, listed and revoked', async () => {
  const made = await run(
    'create',
    '--name',
    'ci',
    '--scopes',
    'servers:read, servers:write',
    '--expires',
    '30d',
  );
  assert.equal(made.code, 0, made.stderr);
  assert.ok(isWellFormed(made.stdout), made.stdout);
  const found = await findTokenByHash(db, tokenHash(made.stdout));
  assert.deepEqual(found?.scopes, ['servers:read', 'servers:write']);
  assert.equal(found?.isExpired, false);
  const listed = await run('list');
  assert.match(listed.stdout, /^ID +NAME/);
  assert.match(listed.stdout, new RegExp(`${found?.id} +ci +default +servers:read,servers:write`));
  // The times of creation and expiry have their time zone.
  assert.match(listed.stdout, /ci .*\d\d:\d\d:\d\dZ +never +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m);
  assert.ok(!listed.stdout.includes(made.stdout));
  assert.equal((await run('revoke', String(found?.id))).code, 0);
  assert.equal(await findTokenByHash(db, tokenHash(made.stdout)), undefined);
  assert.match((await run('list')).stdout, /revoked/);
  assert.equal((await run('revoke', String(found?.id))).code, 1);
});

test('--json prints created, listed and revoked tokens as data', async () => {
  const made = JSON.parse((await run('create', '--json', ...create.slice(1))).stdout);
  assert.deepEqual([made.name, made.scopes, made.expires_at], ['x', ['admin'], null]);
  assert.ok(isWellFormed(made.token));
  const listed: { id: number; name: string }[] = JSON.parse((await run('list', '--json')).stdout);
  assert.equal(listed.find(({ id }) => id === made.id)?.name, 'x');
  const revoked = await run('revoke', String(made.id), '--json', '--yes');
  assert.deepEqual(JSON.parse(revoked.stdout), { id: made.id, revoked_tokens: 1 });
});

test('created and revoked tokens are in the audit log', async () => {
  const made = await run('create', '--name', 'entered', '--scopes', 'servers:read');
  const id = (await findTokenByHash(db, tokenHash(made.stdout)))?.id;
  await run('revoke', String(id));
  const entries = await db
    .selectFrom('audit_log')
    .selectAll()
    .where('target_kind', '=', 'token')
    .where('target_id', '=', id ?? 0)
    .orderBy('id')
    .execute();
  const given = { scopes: ['servers:read'], expires_at: null, allowed_networks: [], ...byTestUser };
  const project = await findProjectNamed(db, 'default');
  assert.deepEqual(
    entries.map((e) => [e.action, e.status, e.source, e.project_id, e.details]),
    [
      ['token_create', 201, 'command_line', project, given],
      ['token_revoke', 200, 'command_line', project, { revoked_tokens: 1, ...byTestUser }],
    ],
  );
  for (const { token_id, user_id, address } of entries) {
    assert.deepEqual([token_id, user_id, address], [null, null, null]);
  }
});

test('revoking a token reports the number of tokens that were revoked with it', async () => {
  const made = await run('create', '--name', 'parent', '--scopes', 'servers:read');
  const { id = 0, projectId = 0 } = (await findTokenByHash(db, tokenHash(made.stdout))) ?? {};
  const of = { name: 'child', scopes: ['servers:read'], expiresAt: null, projectId };
  for (const hash of [Buffer.from('one'), Buffer.from('two')]) {
    const child = await insertToken(db, { ...of, hash });
    await db.updateTable('tokens').set({ parent_id: id }).where('id', '=', child).execute();
  }
  const { stdout } = await run('revoke', String(id));
  assert.equal(stdout, `Token ${id} is revoked, and also 2 tokens created with it.`);
});

test('revoking the last token of an administrator, and those created with it, needs confirmation', async (t) => {
  const own = await createTestDatabase();
  t.after(own.close);
  const piping = (input: string) => toolOn(own.connectionString, 'token', input);
  const typing = (typed: string) => toolInTerminal(own.connectionString, 'token', typed);
  const tool = piping('');
  const made = async (...more: string[]) =>
    (JSON.parse((await tool(...create, '--json', ...more)).stdout) as { id: number }).id;
  const parent = await made();
  const child = await made();
  await own.db.updateTable('tokens').set({ parent_id: parent }).where('id', '=', child).execute();
  const gone = await made('--expires', '1h');
  const past = sql<string>`now() - interval '1 hour'`;
  await own.db.updateTable('tokens').set({ expires_at: past }).where('id', '=', gone).execute();
  assert.equal((await tool('revoke', String(gone))).code, 0, 'an expired token does not count');
  for (const input of ['', 'revoke\n']) {
    const { code, stderr } = await piping(input)('revoke', String(parent));
    assert.equal(code, 1, stderr);
    assert.match(stderr, /is the last active one of scope admin\..*Nothing was revoked.*--yes\./s);
  }
  const other = await typing('yes\n')('revoke', String(parent));
  assert.equal(other.code, 1, other.stdout);
  assert.match(other.stdout, /Type "revoke" to continue: .*Nothing was revoked\./s);
  const second = await made();
  assert.equal((await tool('revoke', String(parent))).code, 0, 'another token is active');
  const answered = await typing('revoke\n')('revoke', String(second));
  assert.equal(answered.code, 0, answered.stdout);
});

test('a token can be created without a project named default', async () => {
  const rename = (from: string, name: string) =>
    db.updateTable('projects').set({ name }).where('name', '=', from).execute();
  await rename('default', 'renamed');
  const made = await run('create', '--name', 'x', '--scopes', 'admin');
  assert.equal(made.code, 0, made.stderr);
  assert.match((await run('list')).stdout, /x +renamed +admin/);
  await rename('renamed', 'default');
});

test('the expiry of a token can be a date', async () => {
  const made = await run('create', '--name', 'x', '--scopes', 'admin', '--expires', '2999-12-31');
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stderr, /until 2999-12-31T00:00:00.000Z/);
});

test('a token is revoked by its name, unless several have this name', async () => {
  const made = async () => {
    const { stdout } = await run('create', '--json', '--name', 'named', '--scopes', 'admin');
    return JSON.parse(stdout).id as number;
  };
  const ids = [await made(), await made()];
  const refused = await run('revoke', 'named');
  assert.deepEqual([refused.code, refused.stderr.includes(ids.join(', '))], [2, true]);
  assert.equal((await run('revoke', String(ids[0]), '--yes')).code, 0);
  const revoked = await run('revoke', 'named', '--yes');
  assert.match(revoked.stdout, new RegExp(`Token ${ids[1]} is revoked`));
});

for (const [args, words] of [
  [['create', '--scopes', 'admin'], /--name <name>' not specified/],
  [['create', '--name', 'x'], /--scopes <scopes>' not specified/],
  [['create', '--name', '77', '--scopes', 'admin'], /only of digits/],
  [['create', '--name', '3f2504e0-4f89-41d3-9a0c-0305e82c3301', '--scopes', 'admin'], /a UUID/],
  [['create', '--name', 'x', '--scopes', 'root'], /Unknown scope: root/],
  [[...create, '--expires', 'soon'], /'soon' is invalid. Use 30d/],
  [[...create, '--expires', '2027-02-31'], /'2027-02-31' is invalid/],
  [[...create, '--expires', '2001-01-01'], /has passed/],
  [[...create, '--color', 'red'], /--color/],
  [['revoke'], /Missing required argument 'token'/],
  [['revoke', '0'], /An id is a whole number/],
  [['revok', '1'], /Unknown command 'revok'\n\(Did you mean revoke\?\)/],
] as const) {
  test(`a usage error is explained: ${args.join(' ')}`, async () => {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 2, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, words);
    assert.match(stderr, /Add --help to see how the command is used/);
  });
}

for (const [args, words] of [
  [['revoke', 'nobody'], /^\nNo active token is called nobody\.\nSee "npm run token -- list"\.$/m],
  [['revoke', '999'], /^\nNo active token has the id 999\.$/m],
  [[...create, '--project', 'none'], /^\nThere is no project "none"\.$/m],
] as const) {
  test(`a missing object has the exit status 1, without the usage: ${args.join(' ')}`, async () => {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, words);
    assert.doesNotMatch(stderr, /--help/);
  });
}

test('help works without a database', async () => {
  for (const args of [[], ['--help'], ['-h']]) {
    assert.match((await run(...args)).stdout, /Creates, lists and revokes/);
  }
});

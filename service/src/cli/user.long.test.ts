import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listMemberships } from '../projects/members/queries.ts';
import { goodPassword } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { byTestUser, toolInTerminal, toolOn } from '../testing/tool.ts';
import { isPassword } from '../users/password.ts';
import { findCredentials, findUser } from '../users/queries.ts';

const { db, connectionString, close } = await createTestDatabase();
after(close);

const tool = 'user';
const run = toolOn(connectionString, tool, `${goodPassword}\n`);
const weakly = toolOn(connectionString, tool, 'password\n');
const silently = toolOn(connectionString, tool);

const email = 'ada@example.com';
const create = ['create', '--email', email];

const powersGiven = {
  is_admin: { before: null, after: false },
  is_disabled: { before: null, after: false },
};

test('a user is created with a password from standard input, listed and disabled', async () => {
  const made = await run(...create, '--name', 'Ada', '--project', 'default', '--role', 'owner');
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^User \d+, ada@example.com, is owner of default\.$/);
  const found = await findCredentials(db, { email });
  assert.ok(found);
  assert.ok(await isPassword(found.passwordHash, goodPassword));
  const [membership] = await listMemberships(db, found.id);
  assert.equal(membership?.role, 'owner');
  assert.match(
    (await run('list')).stdout,
    new RegExp(`${found.id} +${email} +Ada +no +yes +\\S+T\\d\\d:\\d\\d:\\d\\dZ +no`),
  );
  assert.equal((await run('disable', String(found.id))).code, 0);
  assert.equal((await findCredentials(db, { email }))?.isDisabled, true);
  assert.equal((await run('enable', String(found.id))).code, 0);
  assert.equal((await run('password', String(found.id))).code, 0);
  const entries = await db.selectFrom('audit_log').selectAll().orderBy('id').execute();
  assert.deepEqual(
    entries.map((e) => [e.action, e.source, e.target_id, e.details]),
    [
      ['user_create', powersGiven],
      ['member_add', { role: { before: null, after: 'owner' } }],
      ['user_update', { is_disabled: { before: false, after: true } }],
      ['user_update', { is_disabled: { before: true, after: false } }],
      ['user_update', { password_changed: true }],
    ].map(([action, details]) => [
      ...[action, 'command_line', found.id],
      { ...(details as object), ...byTestUser },
    ]),
  );
  assert.equal(entries[1]?.project_id, membership?.id);
  const again = await run(...create);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /Another user has the email address/);
});

test('a user without a password signs in with the OpenID provider', async () => {
  const made = await silently('create', '--email', 'sso@example.com', '--admin', '--no-password');
  assert.match(made.stdout, /is an administrator/);
  const found = await findCredentials(db, { email: 'sso@example.com' });
  assert.equal(found?.passwordHash, null);
});

test('a user is deleted by their email address after confirmation', async () => {
  const leaving = 'Leaving@example.com';
  const made = await silently('create', '--email', leaving, '--no-password');
  const id = Number(/^User (\d+)/.exec(made.stdout)?.[1]);
  const typing = (typed: string, email: string) =>
    toolInTerminal(connectionString, tool, typed)('delete', email);
  for (const [refused, words] of [
    [await silently('delete', leaving), /Nothing was deleted: .* terminal[\s\S]*--yes/],
    [await typing('', leaving), /Nothing was deleted: there was no answer\.[\s\S]*--yes/],
    [await typing('yes\n', leaving), /Nothing was deleted\.[\s\S]*To confirm, answer "delete"/],
  ] as const) {
    const printed = refused.stdout + refused.stderr;
    assert.equal(refused.code, 1, printed);
    assert.match(printed, new RegExp(`User ${id}, ${leaving}, will be deleted`));
    assert.match(printed, words);
    assert.ok(await findUser(db, id));
  }
  const { code, stdout } = await typing('delete\n', leaving.toLowerCase());
  assert.equal(code, 0, stdout);
  assert.match(stdout, new RegExp(`User ${id}, ${leaving}, is deleted\\.`));
  assert.equal(await findUser(db, id), undefined);
  const entries = await db
    .selectFrom('audit_log')
    .selectAll()
    .where('target_id', '=', id)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    entries.map(({ action, source, details }) => [action, source, details]),
    [
      ['user_create', 'command_line', { ...powersGiven, ...byTestUser }],
      ['user_delete', 'command_line', byTestUser],
    ],
  );
});

test('the last owner of a project can not be deleted, as in the API, and --yes skips the confirmation', async () => {
  const at = ['--project', 'default', '--role', 'owner'];
  const made = await silently('create', '--email', 'last@example.com', '--no-password', ...at);
  assert.equal(made.code, 0, made.stderr);
  const id = Number(/^User (\d+)/.exec(made.stdout)?.[1]);
  await db.deleteFrom('memberships').where('user_id', '<>', id).execute();
  const refused = await silently('delete', 'last@example.com', '--yes');
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /last owner of: default/);
  assert.ok(await findUser(db, id));
  await db.deleteFrom('memberships').execute();
  const removed = await silently('delete', String(id), '--yes');
  assert.equal(removed.code, 0, removed.stderr);
  assert.equal(await findUser(db, id), undefined);
});

const other = ['create', '--email', 'other@example.com'];

for (const [tool, args, words] of [
  [run, ['create'], /'--email <email>' not specified/],
  [run, ['create', '--email', 'x'], /not an email address/],
  [run, [...other, '--role', 'owner'], /both --project/],
  [
    run,
    [...other, '--project', 'default', '--role', 'boss'],
    /'boss' is invalid. Allowed choices are owner/,
  ],
  [weakly, other, /This password is .*\. Choose a longer one/],
  [silently, other, /Give a password/],
  [run, ['disable', '0'], /'0' is invalid for argument 'user'/],
  [run, ['delete'], /Missing required argument 'user'/],
  [run, ['rename'], /Unknown command 'rename'/],
] as const) {
  test(`a usage error is explained: ${args.join(' ')} ${words}`, async () => {
    const { code, stdout, stderr } = await tool(...args);
    assert.equal(code, 2, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, words);
    assert.equal(await findCredentials(db, { email: 'other@example.com' }), undefined);
  });
}

for (const [args, words] of [
  [[...other, '--no-password', '--project', 'none', '--role', 'owner'], /no project "none"/],
  [['disable', '999'], /No user has the id 999/],
  [['disable', 'x'], /No user has the email address "x"/],
  [['delete', '999', '--yes'], /No user has the id 999/],
  [['delete', 'x', '--yes'], /No user has the email address "x"/],
] as const) {
  test(`a missing object has the exit status 1, without the usage: ${args.join(' ')}`, async () => {
    const { code, stdout, stderr } = await silently(...args);
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, words);
    assert.doesNotMatch(stderr, /--help/);
    assert.equal(await findCredentials(db, { email: 'other@example.com' }), undefined);
  });
}

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listMemberships } from '../projects/members/queries.ts';
import { goodPassword } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { toolOn } from '../testing/tool.ts';
import { isPassword } from '../users/password.ts';
import { findCredentials } from '../users/queries.ts';

const { db, connectionString, close } = await createTestDatabase();
after(close);

const file = new URL('./user.ts', import.meta.url);
const run = toolOn(connectionString, file, `${goodPassword}\n`);
const weakly = toolOn(connectionString, file, 'password\n');
const silently = toolOn(connectionString, file);

const email = 'ada@example.com';
const create = ['create', '--email', email];

const powersGiven = {
  is_admin: { before: null, after: false },
  is_disabled: { before: null, after: false },
};

test('a user is added with a password of standard input, listed, and shut out', async () => {
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
      ['user_update', null],
    ].map(([action, details]) => [action, 'command_line', found.id, details]),
  );
  assert.equal(entries[1]?.project_id, membership?.id);
  const again = await run(...create);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /Another user has the email address/);
});

test('one without a password is for the OpenID provider', async () => {
  const made = await silently('create', '--email', 'sso@example.com', '--admin', '--no-password');
  assert.match(made.stdout, /is an administrator/);
  const found = await findCredentials(db, { email: 'sso@example.com' });
  assert.equal(found?.passwordHash, null);
});

const other = ['create', '--email', 'other@example.com'];

for (const [tool, args, words] of [
  [run, ['create'], /--email EMAIL/],
  [run, ['create', '--email', 'x'], /--email EMAIL/],
  [run, [...other, '--role', 'owner'], /both --project/],
  [run, [...other, '--project', 'default', '--role', 'boss'], /not "boss"/],
  [run, [...other, '--project', 'none', '--role', 'owner'], /no project "none"/],
  [weakly, other, /too easy to guess/],
  [silently, other, /Give a password/],
  [run, ['disable', '999'], /No user has the id 999/],
  [run, ['disable', 'x'], /"x" is not the id/],
  [run, ['rename'], /Unknown command: rename/],
] as const) {
  test(`a mistake is explained: ${args.join(' ')} ${words}`, async () => {
    const { code, stdout, stderr } = await tool(...args);
    assert.equal(code, 2, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, words);
    assert.equal(await findCredentials(db, { email: 'other@example.com' }), undefined);
  });
}

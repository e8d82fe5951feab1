import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createTestUser, goodPassword } from '../../../service/src/testing/people.ts';
import { startInstallation } from '../../testing/installation.ts';
import { createHome, enter } from '../../testing/terminal.ts';
import type { Contexts } from './file.ts';

const { url, token, database, close } = await startInstallation();
after(close);
const { host } = new URL(url);

const read = (file: string): Contexts => JSON.parse(readFileSync(file, 'utf8'));

test('a token from standard input is kept in a file that only its owner can read', async () => {
  const { berth, contextsFile } = createHome();
  const { status, stdout, stderr } = await berth(['login', url, '--token-stdin'], {
    input: `${token}\n`,
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^You are signed in to http:\S+ as token \d+, in the project default\.\n$/);
  assert.equal(statSync(contextsFile).mode & 0o777, 0o600);
  assert.deepEqual(read(contextsFile), { current: host, contexts: { [host]: { url, token } } });
  assert.equal((await berth(['location', 'list', '-o', 'name'])).stdout, 'local\n');
  assert.ok(!(await berth(['context', 'list', '-o', 'json'])).stdout.includes(token));
});

test('a secret for standard input is not shown if somebody types it', async () => {
  const { inTerminal, contextsFile } = createHome();
  const session = inTerminal(['login', url, '--token-stdin', '--name', 'typed']);
  await session.answers('Secret:', `${token}${enter}`);
  assert.equal((await session.ended()).status, 0, session.shown());
  assert.ok(!session.shown().includes(token));
  assert.equal(read(contextsFile).contexts.typed?.token, token);
});

test('a wrong token is not kept', async () => {
  const { berth, contextsFile } = createHome();
  const wrong = await berth(['login', url, '--token-stdin'], { input: 'berth_wrong' });
  assert.equal(wrong.status, 3, wrong.stderr);
  assert.ok(!existsSync(contextsFile));
  const none = await berth(['login', url]);
  assert.equal(none.status, 2);
  assert.ok(none.stderr.includes(`berth login ${url} --token-stdin < FILE`), none.stderr);
  assert.match(none.stderr, /data\/admin-token/);
});

test('an email address and a password create a token, and leave no session', async () => {
  const project = (await database.db.selectFrom('projects').select('id').executeTakeFirstOrThrow())
    .id;
  const { id, email } = await createTestUser(database.db, { roles: { [project]: 'owner' } });
  const { berth, inTerminal, contextsFile } = createHome();
  const piped = await berth(['login', url, '--email', email, '--password-stdin'], {
    input: goodPassword,
  });
  assert.equal(piped.status, 0, piped.stderr);
  assert.match(piped.stdout, new RegExp(` as ${email}, in the project default`));
  assert.match((await berth(['whoami'])).stdout, new RegExp(`USER +${email}`));
  const sessions = database.db.selectFrom('sessions').select('id').where('user_id', '=', id);
  assert.deepEqual(await sessions.execute(), []);
  const typed = inTerminal(['login', url, '--name', 'mine', '--email', email]);
  await typed.answers('Password:', `${goodPassword}${enter}`);
  assert.equal((await typed.ended()).status, 0, typed.shown());
  assert.ok(!typed.shown().includes(goodPassword));
  const first = read(contextsFile).contexts[host]?.token;
  assert.notEqual(first, read(contextsFile).contexts.mine?.token);
  const again = await berth(['login', url, '--email', email, '--password-stdin'], {
    input: goodPassword,
  });
  assert.equal(again.status, 0, again.stderr);
  const replaced = await berth(['whoami'], { env: { BERTH_URL: url, BERTH_TOKEN: first ?? '' } });
  assert.equal(replaced.status, 3, 'the token that the context had before is revoked');
  const wrong = await berth(['login', url, '--email', email, '--password-stdin'], {
    input: 'wrong',
  });
  assert.equal(wrong.status, 3, wrong.stderr);
  const out = await berth(['logout', 'mine', '--revoke']);
  assert.equal(out.stdout, 'mine is forgotten, and its token is revoked.\n', out.stderr);
  assert.deepEqual(Object.keys(read(contextsFile).contexts), [host]);
});

test('contexts are chosen for the next commands, or for one', async () => {
  const { berth } = createHome();
  const signIn = (name: string) =>
    berth(['login', url, '--token-stdin', '--name', name], { input: token });
  assert.match((await signIn('one')).stderr, /^The context is called one\.$/m);
  assert.match(
    (await signIn('two')).stderr,
    /^The context is two now\. .*: berth context use one$/m,
  );
  assert.match((await signIn('two')).stderr, /^The context is called two\.$/m);
  const current = async () => (await berth(['context', 'list', '-o', 'csv'])).stdout;
  assert.match(await current(), /^one,.*,false\ntwo,.*,true$/m);
  await berth(['context', 'use', 'one', '--project', 'default']);
  assert.match(await current(), /^one,\S+,default,true\ntwo,.*,false$/m);
  assert.equal((await berth(['whoami', '--context', 'two'])).status, 0);
  const env = { BERTH_URL: 'http://127.0.0.1:1', BERTH_TOKEN: 'berth_other' };
  for (const surroundings of [env, { BERTH_TOKEN: env.BERTH_TOKEN }]) {
    const named = await berth(['whoami', '--context', 'two'], { env: surroundings });
    assert.equal(named.status, 0, named.stderr);
  }
  const wrong = await berth(['whoami', '-c', 'tow']);
  assert.equal(wrong.status, 2);
  assert.match(
    wrong.stderr,
    /There is no context tow in .*\. Did you mean two\?\nThe contexts are one, two\./,
  );
  assert.equal((await berth(['logout'])).stdout, 'one is forgotten.\n');
  assert.match(await current(), /^two,.*,true$/m);
});

test('the environment has precedence, and a token is sent only to its own service', async () => {
  const { berth, contextsFile } = createHome();
  const signedOut = await berth(['server', 'list']);
  assert.equal(signedOut.status, 3);
  assert.match(signedOut.stderr, /You are not signed in\.\nRun "berth login URL"/);
  assert.equal(
    (await berth(['whoami'], { env: { BERTH_URL: url, BERTH_TOKEN: token } })).status,
    0,
  );
  await berth(['login', url, '--token-stdin'], { input: token });
  assert.equal((await berth(['whoami'], { env: { BERTH_URL: url } })).status, 0);
  const elsewhere = await berth(['whoami'], { env: { BERTH_URL: 'http://127.0.0.1:1' } });
  assert.equal(elsewhere.status, 3, elsewhere.stderr);
  assert.match(elsewhere.stderr, /There is no token for http:\/\/127\.0\.0\.1:1/);
  assert.equal((await berth(['whoami'], { env: { BERTH_URL: 'http://[' } })).status, 2);
  writeFileSync(contextsFile, '{');
  assert.match((await berth(['whoami'])).stderr, /The contexts in .*contexts\.json can't be read/);
});

test('a project that does not exist is named, with the one that was meant', async () => {
  const { berth } = createHome({ BERTH_URL: url, BERTH_TOKEN: token });
  const { status, stderr } = await berth(['server', 'list', '--project', 'defualt']);
  assert.equal(status, 5, stderr);
  assert.match(stderr, /defualt/);
});

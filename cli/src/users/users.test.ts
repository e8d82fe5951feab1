import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, serve } from '../../../client/testing/server.ts';
import { createHome } from '../../testing/terminal.ts';

const { berth } = createHome();

/** Creates a user at a service that offers this provider. */
async function create(openid: { name: string } | null, ...more: string[]) {
  const methods = json({ origin: 'https://berth.example', passkeys: true, openid });
  const created = json({ id: 2, email: 'ada@example.com' }, {}, 201);
  const { url, requests } = await serve(more.length > 0 ? [created] : [methods, created]);
  const env = { BERTH_URL: url, BERTH_TOKEN: 'berth_x' };
  const input = 'copper-lantern-Tuesday-otter';
  const ended = await berth(['user', 'create', 'ada@example.com', ...more], { env, input });
  assert.equal(ended.status, 0, ended.stderr);
  assert.equal(ended.stdout, 'User ada@example.com (2) is created.\n');
  return { ...ended, requests };
}

test('a user without a password signs in at the OpenID provider', async () => {
  const { stderr } = await create({ name: 'id.example.com' });
  assert.match(stderr, /^Note: ada@example\.com .* signs in at id\.example\.com/);
});

test('a user who cannot sign in is noted, with what to do', async () => {
  const { stderr } = await create(null);
  assert.match(stderr, /^Warning: ada@example\.com can't sign in yet/);
  assert.match(stderr, /berth user update ada@example\.com --ask-password\n$/);
});

test('nothing is said of the sign-in of a user with a password', async () => {
  const { stderr, requests } = await create(null, '--password-stdin');
  assert.deepEqual([stderr, requests.length], ['', 1]);
});

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The operations that no verb has, and why. */
const without: Record<string, string> = {
  setup_view: 'It is about a page of the panel.',
  setup_complete:
    'It is for browsers. On the machine of the service, "npm run user" does the same.',
  session_list: 'It is about sessions of browsers, and needs one.',
  session_view: 'A sign-in returns the same.',
  session_delete_all: 'It is about sessions of browsers, and needs one.',
  session_confirm: 'A sign-in of the command line has just been confirmed.',
  password_change: 'It needs a session. An administrator can set a password with "user update".',
  server_console: '"server console" uses it through openConsole of the client.',
  device_authorization_view: 'It is about a page of the panel.',
  device_authorization_approve: 'Somebody approves the sign-in of this program in the panel.',
  device_authorization_deny: 'Somebody denies the sign-in of this program in the panel.',
  session_oidc_begin:
    'The OpenID provider sends the browser back to the service, and not to this program.',
  session_oidc_callback: 'The OpenID provider sends the browser there.',
  session_passkey_options: 'Only browsers have passkeys.',
  session_passkey: 'Only browsers have passkeys.',
  passkey_list: 'It needs a session.',
  passkey_create: 'Only browsers have passkeys.',
  passkey_delete: 'It needs a session.',
  passkey_options: 'Only browsers have passkeys.',
};

interface Contract {
  paths: Record<string, Record<string, { operationId?: string }>>;
}

test('each operation of the contract has a verb, or a reason to have none', () => {
  const file = join(root, '../contract/openapi.json');
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as Contract;
  const sources = globSync('src/**/*.ts', { cwd: root })
    .filter((name) => !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(root, name), 'utf8'));
  const isUsed = (method: string, path: string) =>
    sources.some(
      (source) =>
        source.includes(`'${path}'`) &&
        (source.includes(`.${method.toUpperCase()}(`) ||
          (method === 'get' && source.includes('items('))),
    );
  const missing = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId = '' }]) =>
      isUsed(method, path) || operationId in without ? [] : [operationId],
    ),
  );
  assert.deepEqual(missing, []);
});

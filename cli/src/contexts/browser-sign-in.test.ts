import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { after, test } from 'node:test';
import { createBerth } from '@berth/client';
import { json, problem, serve } from '../../../client/testing/server.ts';
import { createTestUser } from '../../../service/src/testing/people.ts';
import { startInstallation } from '../../testing/installation.ts';
import { createHome } from '../../testing/terminal.ts';
import { commandFor } from '../open-browser.ts';
import type { Contexts } from './file.ts';

const { url, database, close } = await startInstallation();
after(close);
const { host } = new URL(url);
const { db } = database;
const project = await db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
const { email, credentials } = await createTestUser(db, { roles: { [project.id]: 'owner' } });

/** What the panel does for somebody who is signed in. */
async function decide(user_code: string, decision: 'approve' | 'deny'): Promise<void> {
  const berth = createBerth({ url });
  const { data, response } = await berth.POST('/v1/session', { body: credentials });
  const [cookie = ''] = response.headers.getSetCookie();
  const headers = { Cookie: cookie.split(';')[0] ?? '', 'Berth-CSRF': data.csrf_token };
  const params = { path: { user_code } };
  if (decision === 'deny') {
    await berth.POST('/v1/device-authorizations/{user_code}/deny', { params, headers });
    return;
  }
  const body = { scopes: ['servers:write' as const] };
  await berth.POST('/v1/device-authorizations/{user_code}/approve', { params, headers, body });
}

const codeIn = (text: string) => /code=([A-Z]{4}-[A-Z]{4})/.exec(text)?.[1] ?? '';

test('a terminal signs in with what somebody approves in the browser', async () => {
  const { berth, inTerminal, contextsFile } = createHome();
  const pages: string[] = [];
  const browser = async (page: string) => {
    pages.push(page);
    await decide(codeIn(page), 'approve');
  };
  const session = inTerminal(['login', url], { browser });
  const { status } = await session.ended();
  assert.equal(status, 0, session.shown());
  assert.match(session.shown(), new RegExp(` as ${email}, in the project default`));
  const [page = ''] = pages;
  assert.ok(page.startsWith(`${url}/authorize?code=`), page);
  assert.ok(session.shown().includes(page) && session.shown().includes('Your browser shows'));
  const { contexts } = JSON.parse(readFileSync(contextsFile, 'utf8')) as Contexts;
  const { token = '', isOwnToken } = contexts[host] ?? {};
  assert.ok(token !== '' && isOwnToken && !session.shown().includes(token));
  const name = `berth on ${hostname()}`.slice(0, 99);
  assert.match((await berth(['token', 'list', '-o', 'name'])).stdout, new RegExp(`^${name}$`, 'm'));
});

test('without a browser, the page is shown for another machine', async () => {
  for (const option of [[], ['--no-browser']]) {
    const { inTerminal } = createHome();
    const session = inTerminal(['login', url, ...option]);
    await session.sees('Open this page in a browser:');
    await session.sees('Approve there');
    await decide(codeIn(session.shown()), 'approve');
    assert.equal((await session.ended()).status, 0, session.shown());
  }
});

test('a denial and the end of the time are said, and nothing is kept', async () => {
  const { inTerminal, contextsFile } = createHome();
  const denied = inTerminal(['login', url], {
    browser: (page) => decide(codeIn(page), 'deny'),
  });
  assert.equal((await denied.ended()).status, 3, denied.shown());
  assert.match(denied.shown(), /It was denied in the browser\./);
  const late = inTerminal(['login', url], {
    browser: async () => {
      const expires_at = new Date(0).toISOString();
      await db.updateTable('device_authorizations').set({ expires_at }).execute();
    },
  });
  assert.equal((await late.ended()).status, 3, late.shown());
  assert.match(late.shown(), /Nobody approved it within ten minutes\.\nRun the command again\./);
  assert.ok(!existsSync(contextsFile));
});

test('a token of another project than the wanted one is revoked', async () => {
  const { inTerminal, contextsFile } = createHome();
  const tokens = db.selectFrom('tokens').select('id').where('revoked_at', 'is', null);
  const before = await tokens.execute();
  const browser = (page: string) => decide(codeIn(page), 'approve');
  const session = inTerminal(['login', url, '--project', 'nowhere'], { browser });
  assert.equal((await session.ended()).status, 5, session.shown());
  assert.deepEqual(await tokens.execute(), before);
  assert.ok(!existsSync(contextsFile));
});

test('Ctrl-C ends the wait', async () => {
  const stopping = new AbortController();
  const { inTerminal } = createHome();
  const session = inTerminal(['login', url], { signal: stopping.signal });
  await session.sees('Approve there');
  stopping.abort();
  assert.equal((await session.ended()).status, 130, session.shown());
});

test('a service without the sign-in is named, and one that returns no page is refused', async () => {
  const codes = {
    ...{ device_code: 'secret', user_code: 'WDJB-MJHT', interval: 1 },
    verification_url: 'file:///etc/passwd',
    verification_url_complete: 'file:///etc/passwd',
  };
  const opened: string[] = [];
  const browser = async (page: string) => void opened.push(page);
  for (const [answer, says] of [
    [problem(404, 'not_found'), 'it is older'],
    [json(codes, {}, 201), 'something else than a page'],
  ] as const) {
    const { url: other } = await serve([answer]);
    const session = createHome().inTerminal(['login', other], { browser });
    assert.equal((await session.ended()).status, 1, session.shown());
    assert.ok(session.shown().includes(says), session.shown());
  }
  assert.deepEqual(opened, []);
});

test('a browser is started only where it has a screen', () => {
  assert.equal(commandFor('linux', {}), undefined);
  assert.deepEqual(commandFor('linux', { DISPLAY: ':0' }), ['xdg-open']);
  assert.deepEqual(commandFor('linux', { WAYLAND_DISPLAY: 'wayland-0' }), ['xdg-open']);
  assert.deepEqual(commandFor('linux', { BROWSER: 'firefox --new-tab' }), ['firefox', '--new-tab']);
  assert.deepEqual(commandFor('darwin', {}), ['open']);
});

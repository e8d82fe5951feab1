import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createTestApp } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-panel-'));
const { db, close } = await createTestDatabase();
const app = await createTestApp(db, [], { panelSite: pathToFileURL(`${folder}/`) });
after(async () => {
  await app.close();
  await close();
  rmSync(folder, { recursive: true, force: true });
});

/** As a browser asks for a page. */
const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const get = (url: string, headers = {}) => app.inject({ url, headers: { accept, ...headers } });
const pages = [
  ...['/', '/setup', '/sign-in', '/servers', '/servers/', '/servers/42?tab=1', '/servers/new'],
  ...['/ssh-keys', '/ssh-keys/new', '/tokens', '/tokens/new', '/account', '/operations'],
  ...['/webhooks', '/webhooks/new', '/webhooks/4', '/webhooks/4/edit', '/events?type=server'],
  ...['/authorize?code=WDJB-MJHT', '/admin', '/admin/nodes'],
  ...['/members', '/members/new', '/quota', '/audit', '/statement?month=2026-11'],
];

function build(): void {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<meta nonce="STYLE_NONCE">');
  writeFileSync(join(folder, 'assets/app.B1OXtyQa.js'), 'script');
  writeFileSync(join(folder, 'built-from'), 'x');
}

test('without a built panel, the page says how to build it', async () => {
  const { statusCode, body, headers } = await get('/');
  assert.equal(statusCode, 404);
  assert.match(body, /npm run build -w panel/);
  assert.equal((await get('/nowhere')).json().code, 'not_found');
  assert.match(String(headers['content-type']), /^text\/html/);
  assert.equal((await get('/assets/app.B1OXtyQa.js')).statusCode, 404);
});

test('a browser gets the page at each path of the panel', async () => {
  build();
  for (const url of pages) {
    const { statusCode, body, headers } = await get(url);
    assert.equal(statusCode, 200, url);
    assert.match(body, /^<meta nonce="[\w+/]{22}==">$/);
    assert.match(String(headers['content-type']), /^text\/html/);
    assert.equal(headers['cache-control'], 'no-store');
  }
  const head = await app.inject({ method: 'HEAD', url: '/', headers: { accept } });
  assert.deepEqual([head.statusCode, head.body], [200, '']);
});

test('the page is neither compressed nor hashed, as it is small and another one each time', async () => {
  const { body, headers } = await get('/', { 'accept-encoding': 'gzip, br' });
  assert.match(body, /^<meta/);
  assert.deepEqual([headers.etag, headers['content-encoding']], [undefined, undefined]);
  assert.equal(headers.vary, 'Accept');
});

test('clients that do not prefer HTML get the links of the API, and elsewhere the 404 of an unknown path', async () => {
  const unknown = (await get('/v1/nowhere')).json();
  for (const other of ['application/json', '*/*', 'application/json, text/html', undefined]) {
    const first = await app.inject({ url: '/', headers: other ? { accept: other } : {} });
    assert.deepEqual([first.statusCode, first.json().api], [200, '/v1']);
    for (const url of [...pages.slice(1), '/nowhere']) {
      const answer = await app.inject({ url, headers: other ? { accept: other } : {} });
      const { code, detail } = answer.json();
      assert.deepEqual([answer.statusCode, code, detail], [404, unknown.code, unknown.detail]);
      assert.equal(answer.headers.vary, 'Accept');
    }
  }
});

test('a browser gets the page also at a mistyped path, where the page says so', async () => {
  for (const url of ['/nowhere', '/server', '/server/42?tab=1', '/index.html', '/built-from']) {
    const { statusCode, body, headers } = await get(url);
    assert.equal(statusCode, 404, url);
    const nonce = /^<meta nonce="(.+)">$/.exec(body)?.[1];
    assert.ok(String(headers['content-security-policy']).includes(`'nonce-${nonce}'`));
    assert.match(String(headers['content-type']), /^text\/html/);
    assert.deepEqual([headers['cache-control'], headers.vary], ['no-store', 'Accept']);
    assert.equal(Number(headers['content-length']), body.length);
  }
  const post = await app.inject({ method: 'POST', url: '/nowhere', headers: { accept } });
  assert.equal(post.json().code, 'not_found');
});

test('other paths that do not exist stay unknown, also for a browser', async () => {
  for (const url of ['/v1/nowhere?x', '/api', '/docs/nowhere', '/metrics/x', '/assets'])
    assert.equal((await get(url)).json().code, 'not_found', url);
  for (const path of [
    'nothing.js',
    '..%2findex.html',
    '%2e%2e%2fbuilt-from',
    '..%2f..%2fpackage.json',
  ])
    assert.equal((await get(`/assets/${path}`)).json().code, 'not_found', path);
});

test('its files are kept by clients, and it is asked for again', async () => {
  const { body, headers } = await get('/assets/app.B1OXtyQa.js', { accept: '*/*' });
  assert.equal(body, 'script');
  assert.match(String(headers['cache-control']), /max-age=31536000, immutable/);
});

test('the policy allows only scripts of the service, and styles with the nonce of the response', async () => {
  const [one, other] = [await get('/'), await get('/')];
  const nonce = /nonce="(.+)"/.exec(one.body)?.[1];
  const policy = String(one.headers['content-security-policy']).split('; ');
  for (const part of [
    ...["default-src 'none'", "script-src 'self'", `style-src 'self' 'nonce-${nonce}'`],
    ...["connect-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"],
    "require-trusted-types-for 'script'",
  ]) {
    assert.ok(policy.includes(part), part);
  }
  assert.ok(!one.headers['content-security-policy']?.includes('unsafe'));
  assert.notEqual(one.body, other.body);
});

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { isBuilt } from '../built-files/files.ts';
import { createTestApp } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-help-'));
const { db, close } = await createTestDatabase();
const app = await createTestApp(db, [], { helpSite: pathToFileURL(`${folder}/`) });
after(async () => {
  await app.close();
  await close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (url: string, headers = {}) => app.inject({ url, headers });

function build(files: Record<string, string | Buffer>): void {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  mkdirSync(join(folder, 'guides'), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, 'built-from'), String(Object.keys(files)));
}

test('without a built site, the page says how to build it', async () => {
  const { statusCode, body, headers } = await get('/help');
  assert.equal(statusCode, 404);
  assert.equal(isBuilt(pathToFileURL(`${folder}/`)), false);
  assert.match(body, /npm run docs/);
  assert.match(String(headers['content-type']), /^text\/html/);
});

test('a site that is built while the service runs is served, and its pages need no ending', async () => {
  build({
    'index.html': 'the first page',
    '404.html': 'no such page',
    'concepts.html': 'concepts',
    'guides/index.html': 'guides',
    'assets/app.B1OXtyQa.js': 'script',
    'alerts.yml': 'rules',
  });
  assert.equal(isBuilt(pathToFileURL(`${folder}/`)), true);
  for (const [url, text, type] of [
    ['/help', 'the first page', 'text/html; charset=utf-8'],
    ['/help/', 'the first page', 'text/html; charset=utf-8'],
    ['/help/concepts', 'concepts', 'text/html; charset=utf-8'],
    ['/help/guides/', 'guides', 'text/html; charset=utf-8'],
    ['/help/assets/app.B1OXtyQa.js?v=1', 'script', 'text/javascript; charset=utf-8'],
    ['/help/alerts.yml', 'rules', 'text/plain; charset=utf-8'],
  ] as const) {
    const answer = await get(url);
    assert.deepEqual([answer.statusCode, answer.body], [200, text], url);
    assert.equal(answer.headers['content-type'], type);
  }
});

test('files whose names have a hash are kept by clients, and pages are asked for again', async () => {
  const caching = async (url: string) => (await get(url)).headers['cache-control'];
  assert.equal(await caching('/help/concepts'), 'no-cache');
  assert.match(String(await caching('/help/assets/app.B1OXtyQa.js')), /immutable/);
  const { etag } = (await get('/help/concepts')).headers;
  const again = await get('/help/concepts', { 'if-none-match': etag });
  assert.deepEqual([again.statusCode, again.body], [304, '']);
  const head = await app.inject({ method: 'HEAD', url: '/help/concepts' });
  assert.deepEqual([head.statusCode, head.body], [200, '']);
});

test('a picture is sent as it is, to a client that accepts compressed responses, too', async () => {
  // No text: decoding these bytes as UTF-8 would change them.
  const picture = Buffer.from('89504e470d0a1a0a', 'hex');
  build({ 'assets/servers.D2rJS3Hx.png': picture });
  const { rawPayload, headers } = await get('/help/assets/servers.D2rJS3Hx.png', {
    'accept-encoding': 'gzip, br',
  });
  assert.deepEqual(rawPayload, picture);
  assert.equal(headers['content-type'], 'image/png');
  assert.equal(headers['content-encoding'], undefined);
  assert.match(String(headers['cache-control']), /immutable/);
});

test('unknown paths, and those out of the folder, get the page of the site for them', async () => {
  for (const path of [
    'nothing',
    '../package.json',
    '%2e%2e%2fpackage.json',
    'built-from',
    'assets',
  ]) {
    const { statusCode, body } = await get(`/help/${path}`);
    assert.equal(statusCode, 404, path);
    assert.ok(!body.includes('{"name"'), path);
  }
  assert.equal((await get('/help/nothing')).body, 'no such page');
});

test('scripts of the site can make no requests', async () => {
  for (const url of ['/help', '/help/nothing', '/help/assets/app.B1OXtyQa.js']) {
    const policy = String((await get(url)).headers['content-security-policy']).split('; ');
    for (const part of ["default-src 'none'", "connect-src 'none'", "script-src 'self'"]) {
      assert.ok(policy.includes(part), url);
    }
  }
});

test('a site that is built anew replaces the old one', async () => {
  build({ 'index.html': 'another first page' });
  assert.equal((await get('/help')).body, 'another first page');
});

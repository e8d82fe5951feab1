import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { failures } from '../problems/failures.ts';
import { refusals } from '../problems/problem.ts';
import { createTestApp } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';

const { db, close } = await createTestDatabase();
const app = await createTestApp(db, []);
after(async () => {
  await app.close();
  await close();
});

const get = (url: string, headers = {}) => app.inject({ url, headers });

for (const [url, type, caching] of [
  ['/openapi.json', 'application/json; charset=utf-8', 'no-cache'],
  ['/docs/js/scalar.js', 'application/javascript; charset=utf-8', 'public, max-age=3600'],
] as const) {
  test(`${url} is compressed as the client accepts it`, async () => {
    const plain = await get(url);
    assert.equal(plain.statusCode, 200);
    for (const [coding, decompress, accepting] of [
      ['gzip', gunzipSync, ['gzip', 'GZIP;q=0.5', 'gzip, br;q=0']],
      ['br', brotliDecompressSync, ['br', 'br;q=0.5', 'gzip, deflate, br, zstd', '*']],
    ] as const) {
      for (const accepted of accepting) {
        const small = await get(url, { 'accept-encoding': accepted });
        assert.equal(small.headers['content-encoding'], coding, accepted);
        assert.equal(small.headers['content-length'], String(small.rawPayload.length));
        assert.ok(decompress(small.rawPayload).equals(plain.rawPayload));
        assert.notEqual(small.headers.etag, plain.headers.etag);
      }
    }
    for (const accepted of ['zstd', 'gzip;q=0', 'br;q=0, gzip;q=0, *', 'identity', '']) {
      const { headers, body } = await get(url, { 'accept-encoding': accepted });
      assert.equal(headers['content-encoding'], undefined, accepted);
      assert.ok(body === plain.body);
    }
    for (const { headers } of [plain, await get(url, { 'accept-encoding': 'gzip' })]) {
      assert.equal(headers['content-type'], type);
      assert.equal(headers['cache-control'], caching);
      assert.equal(headers.vary, 'Accept-Encoding');
    }
  });

  test(`${url} gets a 304 for a matching ETag`, async () => {
    const accepting = { 'accept-encoding': 'gzip' };
    const { etag } = (await get(url, accepting)).headers;
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await get(url, { ...accepting, 'if-none-match': known });
      assert.deepEqual([answer.statusCode, answer.body], [304, ''], known);
      assert.equal(answer.headers.etag, etag);
      assert.equal(answer.headers['cache-control'], caching);
    }
    for (const headers of [{ ...accepting, 'if-none-match': '"x"' }, { 'if-none-match': etag }]) {
      assert.equal((await get(url, headers)).statusCode, 200);
    }
    const head = await app.inject({ method: 'HEAD', url, headers: accepting });
    assert.deepEqual([head.statusCode, head.headers.etag, head.body], [200, etag, '']);
  });
}

for (const url of ['/', '/v1', '/v1/', '/api/v1']) {
  test(`${url} links to the documentation without a token, and reveals nothing about the installation`, async () => {
    const answer = await get(url);
    assert.equal(answer.statusCode, 200, answer.body);
    assert.deepEqual(answer.json(), {
      ...{ documentation: '/docs', errors: '/docs/errors' },
      ...{ openapi: '/openapi.json', api: '/v1' },
    });
    const described = '</docs>; rel="service-doc", </openapi.json>; rel="service-desc"';
    assert.equal(answer.headers.link, described);
    for (const linked of Object.values<string>(answer.json())) {
      assert.ok((await get(linked)).statusCode < 400, linked);
    }
  });
}

test('the page of errors has each code once, with refusals before failures', async () => {
  const { body } = await get('/docs/errors');
  const ids = [...body.matchAll(/<tr id="(\w+)">/g)].map(([, id]) => id);
  assert.deepEqual(ids, [...Object.keys(refusals), ...Object.keys(failures)]);
  assert.ok(body.indexOf('Failed operations') < body.indexOf('id="guest_ignored_shutdown"'));
});

test('the pages are sandboxed, so that their scripts cannot use a session', async () => {
  const policyOf = async (url: string) =>
    String((await get(url)).headers['content-security-policy']).split('; ');
  for (const url of ['/docs', '/docs/']) {
    const sandbox = (await policyOf(url)).filter((part) => part.startsWith('sandbox'));
    assert.deepEqual(sandbox, ['sandbox allow-scripts allow-downloads'], url);
  }
  assert.ok((await policyOf('/docs/errors')).includes('sandbox'));
});

test('only the files that the sandboxed page loads can be read from other origins', async () => {
  const isForAny = async (url: string) => {
    const { headers } = await get(url, { origin: 'null' });
    const policy = headers['cross-origin-resource-policy'];
    return headers['access-control-allow-origin'] === '*' && policy === 'cross-origin';
  };
  for (const url of ['/openapi.json', '/docs/js/scalar.js']) assert.ok(await isForAny(url), url);
  for (const url of ['/v1/session', '/v1/health/ready', '/nowhere']) {
    assert.equal((await get(url)).headers['access-control-allow-origin'], undefined, url);
  }
});

test('the script gets a storage in memory, because the sandbox has none', async () => {
  const { body } = await get('/docs/js/scalar.js');
  const begin = body.slice(0, body.indexOf('\n}\n') + 3);
  const window = {} as { localStorage: Storage; sessionStorage: Storage };
  runInNewContext(begin, { window });
  const { localStorage: storage } = window;
  storage.setItem('theme', 'dark');
  assert.deepEqual(
    [storage.length, storage.key(0), storage.getItem('theme'), storage.getItem('x')],
    [1, 'theme', 'dark', null],
  );
  assert.equal(window.sessionStorage.length, 0);
  storage.removeItem('theme');
  assert.equal(storage.key(0), null);
});

test('the document is serialized once', async (t) => {
  const fresh = await createTestApp(db, []);
  const made = t.mock.method(JSON, 'stringify');
  const documents = () =>
    made.mock.calls.filter(({ arguments: [value] }) => value && 'openapi' in Object(value)).length;
  for (let at = 0; at < 5; at += 1) await fresh.inject('/openapi.json');
  assert.equal(documents(), 1);
  await fresh.close();
});

test('a service sends the document from its file', async () => {
  const file = new URL('../../../contract/openapi.json', import.meta.url);
  const fresh = await createTestApp(db, [], { openApi: file });
  const { body } = await fresh.inject('/openapi.json');
  assert.ok(body === (await readFile(file, 'utf8')));
  await fresh.close();
});

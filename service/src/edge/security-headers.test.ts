import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestApp } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';

const { db, close } = await createTestDatabase();
const app = await createTestApp(db, []);
after(async () => {
  await app.close();
  await close();
});

test('every answer forbids browsers to interpret it', async () => {
  for (const url of ['/openapi.json', '/nowhere', '/%zz', '/docs/', '/docs/errors', '/docs']) {
    const { headers } = await app.inject(url);
    assert.equal(headers['x-content-type-options'], 'nosniff', url);
    assert.equal(headers['referrer-policy'], 'no-referrer', url);
    const isForDocs = ['/openapi.json', '/docs/', '/docs'].includes(url);
    const policy = isForDocs ? 'cross-origin' : 'same-origin';
    assert.equal(headers['cross-origin-resource-policy'], policy, url);
    assert.equal(headers['x-frame-options'], 'DENY', url);
    assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/, url);
    assert.equal(headers['strict-transport-security'], undefined, url);
  }
});

test('only the documentation may run its own script, and the list of errors use its style', async () => {
  const policy = async (url: string) =>
    String((await app.inject(url)).headers['content-security-policy']);
  assert.match(await policy('/docs/'), /default-src 'self'/);
  assert.match(await policy('/docs/errors'), /default-src 'none'; style-src 'unsafe-inline'/);
  assert.equal(await policy('/openapi.json'), "default-src 'none'; frame-ancestors 'none'");
});

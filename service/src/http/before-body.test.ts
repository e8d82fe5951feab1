import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createMetrics } from '../metrics/metrics.ts';
import { routes } from '../routes.ts';
import { createTestApp } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { sendRaw } from '../testing/raw.ts';

// Tests that requests that are not allowed, or whose path is unknown, are refused before their body has arrived. These
// requests never send their body.

const { db, pool, close } = await createTestDatabase();
after(close);
const metrics = createMetrics({ db, pools: { requests: pool } }, { ofServers: true });
const app = await createTestApp(db, [...routes], { metrics });
let port: number;

before(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
});
after(() => app.close());

async function statusOf(method: string, path: string): Promise<number> {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: a', 'Content-Type: application/json'];
  const { status } = await sendRaw(port, [...head, 'Content-Length: 200000', '', ''].join('\r\n'));
  return status;
}

const routesOf = app.knownRoutes.flatMap(({ options: { method, url, config } }) =>
  [method].flat().map((one) => ({ method: one, url, scope: config?.scope })),
);
const pathOf = (url: string) => url.replace(/:[a-z_]+/gi, '1').replace('*', 'x');

describe('without a token', () => {
  const guarded = routesOf.filter(({ scope }) => scope !== 'public');
  assert.ok(guarded.length > 150);
  for (const { method, url } of guarded) {
    it(`${method} ${url} is refused before its body`, async () => {
      assert.equal(await statusOf(method, pathOf(url)), 401);
    });
  }
});

it('only routes that sign in read a body before authentication, and these are rate limited', () => {
  const reading = routesOf
    .filter(({ method, scope }) => scope === 'public' && !['GET', 'HEAD'].includes(method))
    .map(({ method, url }) => `${method} ${url.replace(/^\/api/, '')}`);
  const known = [
    'POST /v1/device-authorizations',
    'POST /v1/device-authorizations/token',
    'POST /v1/session',
    'POST /v1/session/oidc',
    'POST /v1/session/passkey',
    'POST /v1/session/passkey/options',
    'POST /v1/setup',
  ];
  assert.deepEqual([...new Set(reading)].sort(), known);
});

describe('an unknown path', () => {
  const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND'];

  it('is refused before its body, whatever the method', async () => {
    for (const method of methods) {
      for (const path of ['/nothing', '/v1/servers/1/2/3/4', `/v1/${'x'.repeat(300)}`]) {
        assert.equal(await statusOf(method, path), 404, `${method} ${path.slice(0, 30)}`);
      }
      assert.equal(await statusOf(method, '/v1/%zz'), 400, method);
    }
  });

  const urls = [...new Set(routesOf.map(({ url }) => url))];
  for (const url of urls) {
    it(`is a 405 before its body with a method that ${url} does not support`, async () => {
      const taken = routesOf.filter((route) => pathOf(route.url) === pathOf(url));
      const other = methods.find((one) => !taken.some(({ method }) => method === one));
      assert.equal(await statusOf(other ?? '', pathOf(url)), 405);
    });
  }
});

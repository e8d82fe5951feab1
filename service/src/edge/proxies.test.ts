import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { isAmong } from './proxies.ts';
import { plainShell } from './settings.ts';

const { db, close } = await createTestDatabase();
const trustedProxies = ['10.0.0.0/8', '2001:db8::/32'];
const schema = { response: { 200: Type.Any() } };

function probeRoutes(api: App): void {
  const config = { scope: 'public' } as const;
  api.get('/open', { config, schema }, async ({ ip, protocol }) => ({ ip, protocol }));
  api.get('/shut', { config: { scope: 'servers:read' }, schema }, async () => ({}));
}

const plain = await createTestApp(db, [probeRoutes]);
const proxied = await createTestApp(db, [probeRoutes], {
  shell: { ...plainShell, trustedProxies },
});
after(async () => {
  await plain.close();
  await proxied.close();
  await close();
});

async function seen(app: App, remoteAddress: string, forwardedFor?: string, proto?: string) {
  const headers = {
    ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    ...(proto !== undefined && { 'x-forwarded-proto': proto }),
  };
  const answer = await inject(app, { url: '/v1/open', remoteAddress, headers });
  const isStrict = answer.headers['strict-transport-security'] !== undefined;
  return { status: answer.statusCode, isStrict, ...answer.json() };
}

test('without a trusted proxy, forwarded addresses are ignored', async () => {
  const spoofed = await seen(plain, '10.0.0.1', '192.0.2.9', 'https');
  const { status, ip, protocol, isStrict } = spoofed;
  assert.deepEqual([status, ip, protocol, isStrict], [200, '10.0.0.1', 'http', false]);
  const stranger = await seen(proxied, '192.0.2.1', '192.0.2.9', 'https');
  assert.deepEqual([stranger.ip, stranger.protocol], ['192.0.2.1', 'http']);
});

test('the addresses that a trusted proxy sends are used, and those it received from others are not', async () => {
  for (const [peer, forwardedFor, ip] of [
    ['10.0.0.1', '192.0.2.9', '192.0.2.9'],
    ['::ffff:10.0.0.1', '192.0.2.9', '192.0.2.9'],
    ['2001:db8::1', '2001:dead::1', '2001:dead::1'],
    ['10.0.0.1', '198.51.100.1, 192.0.2.9', '192.0.2.9'],
    ['10.0.0.1', 'nonsense, 192.0.2.9, 10.2.2.2', '192.0.2.9'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '192.0.2.9:8080', '192.0.2.9'],
    ['10.0.0.1', '[2001:dead::1]:8080', '2001:dead::1'],
    ['10.0.0.1', '[2001:dead::1]', '2001:dead::1'],
    ['10.0.0.1', '198.51.100.1:1, 192.0.2.9:2, 10.2.2.2:3', '192.0.2.9'],
  ] as const) {
    assert.equal((await seen(proxied, peer, forwardedFor)).ip, ip, `${peer} ${forwardedFor}`);
  }
  const secure = await seen(proxied, '10.0.0.1', '192.0.2.9', 'https');
  assert.deepEqual([secure.protocol, secure.isStrict], ['https', true]);
});

test('a proxy that sends no address gets an error', async () => {
  const { headers } = await createTestToken(db);
  for (const text of ['nonsense', '192.0.2.9:', '192.0.2:1', '192.0.2.9/8', '', "'; select 1"]) {
    const forwarded = { ...headers, 'x-forwarded-for': text };
    const options = { url: '/v1/shut', remoteAddress: '10.0.0.1', headers: forwarded };
    const answer = await inject(proxied, options);
    if (text === '') assert.equal(answer.statusCode, 200);
    else assert.equal(answer.json().detail, 'The proxy names no address in X-Forwarded-For.');
  }
});

test('the zone of a link-local address is removed if it is unknown', async () => {
  const { headers } = await createTestToken(db);
  const options = { url: '/v1/shut', remoteAddress: 'fe80::1%eth0', headers };
  assert.equal((await inject(plain, options)).statusCode, 200);
});

test('networks of both families match, and nothing else does', () => {
  const isProxy = isAmong(['10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32']);
  for (const address of ['10.255.0.1', '::ffff:10.1.1.1', '192.0.2.7', '2001:db8:1::1']) {
    assert.ok(isProxy(address), address);
  }
  for (const address of ['11.0.0.1', '192.0.2.8', '2001:db9::1', '', 'nonsense', '10.0.0.0/8']) {
    assert.ok(!isProxy(address), address);
  }
  assert.ok(!isAmong([])('127.0.0.1'));
});

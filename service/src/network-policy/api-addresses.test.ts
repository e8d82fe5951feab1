import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiFinder } from './api-addresses.ts';

const never = (error: unknown) => assert.fail(String(error));

test('the API has its listening address and its public URL, each with its port', async () => {
  const publicUrl = new URL('https://[2001:db8::5]');
  const find = apiFinder({ host: '203.0.113.5', port: 8080, publicUrl });
  assert.deepEqual(await find(never), [
    { ip: '203.0.113.5', port: 8080 },
    { ip: '2001:db8::5', port: 443 },
  ]);
  const named = apiFinder({
    host: '0.0.0.0',
    port: 80,
    publicUrl: new URL('http://localhost:8443'),
  });
  const found = await named(never);
  assert.ok(found.some(({ ip, port }) => ['127.0.0.1', '::1'].includes(ip) && port === 8443));
});

test('a name that cannot be resolved is reported, and the other addresses are returned', async () => {
  const publicUrl = new URL('https://berth.invalid');
  const find = apiFinder({ host: '203.0.113.5', port: 8080, publicUrl });
  const reported: unknown[] = [];
  assert.deepEqual(await find((error) => reported.push(error)), [
    { ip: '203.0.113.5', port: 8080 },
  ]);
  assert.equal(reported.length, 1);
});

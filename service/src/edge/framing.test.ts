import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import type { App } from '../callers/app-types.ts';
import { changesNothing } from '../changes/change.ts';
import { healthRoutes } from '../health/routes.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { keptLog } from '../testing/canaries.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { open, sendRaw } from '../testing/raw.ts';
import { until } from '../testing/until.ts';
import { plainShell } from './settings.ts';

const { db, close } = await createTestDatabase();
after(close);

const schema = { response: { 200: Type.Any() } };

function probeRoutes(api: App): void {
  const [open, write] = [{ scope: 'public' }, { scope: 'servers:write' }] as const;
  api.get('/open', { config: open, schema }, async () => ({ ok: true }));
  const body = Type.Any();
  api.post('/probe', { config: write, schema: { ...schema, body } }, (r) =>
    changesNothing(r, Promise.resolve({ ok: true })),
  );
}

let app: App;
let strict: App;
let port: number;
let strictPort: number;
let authorization: string;

before(async () => {
  const shell = { ...plainShell, allowedHosts: ['api.example.com', '[::1]'] };
  [app, strict] = [
    await createTestApp(db, [probeRoutes]),
    await createTestApp(db, [probeRoutes], { shell }),
  ];
  [port, strictPort] = [await listen(app), await listen(strict)];
  authorization = `Authorization: ${(await createTestToken(db)).headers.authorization}`;
});
after(async () => {
  await app.close();
  await strict.close();
});

async function listen(served: App): Promise<number> {
  await served.listen({ host: '127.0.0.1', port: 0 });
  return (served.server.address() as AddressInfo).port;
}

const post = (headers: string[], body: string) =>
  ['POST /v1/probe HTTP/1.1', 'Host: a', authorization, ...headers, '', body].join('\r\n');
const get = (...headers: string[]) =>
  `${['GET /v1/open HTTP/1.1', ...headers].join('\r\n')}\r\n\r\n`;

async function isStillServed(): Promise<void> {
  assert.equal((await sendRaw(port, get('Host: a'))).status, 200);
}

test('ambiguous requests are refused, and the connection is closed', async () => {
  const chunked = 'Transfer-Encoding: chunked';
  const smuggled = 'GET /v1/open HTTP/1.1\r\nHost: a\r\n\r\n';
  for (const [name, bytes] of Object.entries({
    'a length and chunks': post(['Content-Length: 4', chunked], `0\r\n\r\n${smuggled}`),
    'chunks and a length': post([chunked, 'Content-Length: 4'], `0\r\n\r\n${smuggled}`),
    'two lengths': post(['Content-Length: 0', 'Content-Length: 36'], smuggled),
    'the same length twice': post(['Content-Length: 0', 'Content-Length: 0'], smuggled),
    'lengths in a list': post(['Content-Length: 0, 0'], smuggled),
    'a length with a sign': post(['Content-Length: +0'], smuggled),
    'a negative length': post(['Content-Length: -1'], smuggled),
    'a length in hexadecimal': post(['Content-Length: 0x24'], smuggled),
    'an unknown encoding': post(['Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`),
    'chunked not last': post(['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${smuggled}`),
    'another encoding first': post(['Transfer-Encoding: gzip, chunked'], `0\r\n\r\n${smuggled}`),
    'chunked twice': post([chunked, chunked], `0\r\n\r\n${smuggled}`),
    'a space before the colon': post(['Transfer-Encoding : chunked'], `0\r\n\r\n${smuggled}`),
    'a chunk without a size': post([chunked], `zz\r\n\r\n${smuggled}`),
    'a chunk of 2^68': post([chunked], `fffffffffffffffff\r\na\r\n0\r\n\r\n${smuggled}`),
    'a chunk that ends elsewhere': post([chunked], `3\r\nabcd\r\n0\r\n\r\n${smuggled}`),
    'chunks with bare line feeds': post([chunked], `3\nabc\n0\n\n${smuggled}`),
    'a line feed in an extension': post([chunked], `3;a\nb\r\nabc\r\n0\r\n\r\n${smuggled}`),
    'a folded header': get('Host: a', 'X-A: b', ' c') + smuggled,
    'a header folded with a tab': get('Host: a', 'X-A: b', '\tc') + smuggled,
    'a space before the first header': get(' X-A: b', 'Host: a') + smuggled,
    'a bare carriage return': get('Host: a', 'X-A: b\rc') + smuggled,
    'a zero byte': get('Host: a', 'X-A: b\0c') + smuggled,
    'bare line feeds': `GET /v1/open HTTP/1.1\nHost: a\n\n${smuggled}`,
    'chunks in HTTP/1.0': post([chunked], '0\r\n\r\n').replace('HTTP/1.1', 'HTTP/1.0'),
    'a space in the address': 'GET /v1/open x HTTP/1.1\r\nHost: a\r\n\r\n',
  })) {
    const { status, text, isClosed } = await sendRaw(port, bytes);
    assert.equal(status, 400, `${name}: ${text}`);
    assert.ok(isClosed, `${name} leaves the connection open`);
    assert.equal(text.match(/HTTP\/1\.1 \d/g)?.length, 1, `${name}: ${text}`);
    assert.match(text, /"code":"malformed_request"/, name);
  }
  await isStillServed();
});

test('invalid HTTP gets a well-formed response or none', async () => {
  const hello = Buffer.from('16030100c8010000c40303', 'hex');
  for (const [name, bytes] of Object.entries({
    'a TLS client': Buffer.concat([hello, randomBytes(200)]),
    garbage: Buffer.concat([
      Buffer.from([0, 1, 2, 255]),
      randomBytes(5000),
      Buffer.from('\r\n\r\n'),
    ]),
    'HTTP/0.9': 'GET /v1/open\r\n\r\n',
    'HTTP/2.0': 'GET /v1/open HTTP/2.0\r\nHost: a\r\n\r\n',
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'HTTP/9.9': 'GET /v1/open HTTP/9.9\r\nHost: a\r\n\r\n',
    'an unknown method': 'BREW /v1/open HTTP/1.1\r\nHost: a\r\n\r\n',
    'a tunnel': 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n',
    'only line ends': '\r\n\r\n\r\nx\r\n',
    SSH: 'SSH-2.0-OpenSSH_9.2\r\n',
  })) {
    const { status, text, isClosed } = await sendRaw(port, bytes);
    assert.ok(status === 400 || status === 0, `${name}: ${text}`);
    assert.ok(isClosed, `${name} leaves the connection open`);
  }
  await isStillServed();
});

test('unusual but valid requests are answered', async () => {
  const old = await sendRaw(port, 'GET /v1/open HTTP/1.0\r\n\r\n');
  assert.deepEqual([old.status, old.isClosed], [200, true]);
  for (const [url, status] of [
    ['http://a/v1/open', 200],
    ['HTTP://a:80/v1/open', 200],
    ['http://a/v1/nothing', 404],
    ['http://a', 200],
    ['http://a?x', 200],
    ['http:///v1/open', 400],
    ['//v1/open', 404],
    ['ftp://a/v1/open', 404],
  ] as const) {
    const answer = await sendRaw(port, `GET ${url} HTTP/1.1\r\nHost: b\r\n\r\n`);
    assert.equal(answer.status, status, `${url}: ${answer.text}`);
  }
  const star = await sendRaw(port, 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.equal(star.status, 404);
  const upgrade = await sendRaw(port, get('Host: a', 'Connection: Upgrade', 'Upgrade: h2c'));
  assert.equal(upgrade.status, 200);
  const expecting = await sendRaw(port, get('Host: a', 'Expect: wonders'));
  assert.equal(expecting.status, 417);
});

test('a request must have one valid host name', async () => {
  for (const headers of [
    [],
    ['Host:'],
    ['Host: a b'],
    ['Host: a/b'],
    ['Host: user@a'],
    ['Host: a:port'],
    ['Host: a, b'],
    ['Host: [::1'],
    ['Host: a', 'Host: a'],
  ]) {
    const { status, text, isClosed } = await sendRaw(port, get(...headers));
    assert.deepEqual([status, isClosed], [400, true], `${headers}: ${text}`);
    assert.match(text, /"detail":"[^"]*Host header/);
  }
  for (const host of ['a', 'A.example', 'a.example.:8080', '192.0.2.1', '[2001:db8::1]:80']) {
    assert.equal((await sendRaw(port, get(`Host: ${host}`))).status, 200, host);
  }
});

test('a header that must be unique is refused if it is repeated', async () => {
  for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'Berth-Project']) {
    for (const values of ['ab', 'aa']) {
      const [first, second] = [`${name}: ${values[0]}`, `${name.toUpperCase()}: ${values[1]}`];
      const { status, text, isClosed } = await sendRaw(port, get('Host: a', first, second));
      assert.deepEqual([status, isClosed], [400, true], text);
      assert.ok(text.includes(`"There is more than one ${name} header."`), text);
    }
  }
});

test('an unknown method is a 405, with a body and without', async () => {
  for (const method of ['QUERY', 'PROPFIND', 'LOCK']) {
    for (const rest of ['', 'Content-Length: 2\r\nContent-Type: application/json\r\n']) {
      const line = `${method} /v1/open HTTP/1.1\r\nHost: a\r\n${rest}\r\n${rest && '{}'}`;
      const { status, text } = await sendRaw(port, line);
      assert.equal(status, 405, `${method}: ${text}`);
      assert.match(text, /^allow: GET, HEAD, OPTIONS\r$/im);
    }
  }
});

test('a client that disconnects within its body is not logged as a failure', async (t) => {
  const { log, lines } = keptLog();
  const logged = await createTestApp(db, [probeRoutes], { log });
  t.after(() => logged.close());
  const client = await open(await listen(logged));
  client.on('error', () => undefined);
  const type = 'Content-Type: application/json';
  client.write(post([type, 'Content-Length: 100'], '{'));
  const [request] = await once(logged.server, 'request');
  await until('the body is read', () => request.listenerCount('data') > 0);
  client.destroy();
  const look = () => lines;
  await until('it is logged', look, (seen) =>
    seen.some((line) => line.includes('closed the connection before')),
  );
  for (const line of lines) assert.match(JSON.parse(line).level, /^(trace|debug|info)$/, line);
});

test('with a list of host names, no other is served', async () => {
  for (const host of ['api.example.com', 'API.example.com:443', 'api.example.com.', '[::1]:8']) {
    assert.equal((await sendRaw(strictPort, get(`Host: ${host}`))).status, 200, host);
  }
  for (const host of ['example.com', 'x.api.example.com', 'api.example.com.evil', '127.0.0.1']) {
    const { status, text } = await sendRaw(strictPort, get(`Host: ${host}`));
    assert.equal(status, 421, host);
    assert.match(text, /"code":"misdirected_request"/);
    assert.match(text, /BERTH_ALLOWED_HOSTS/);
  }
  // The address of the request comes before the header.
  const line = 'GET http://example.com/v1/open HTTP/1.1\r\nHost: api.example.com\r\n\r\n';
  assert.equal((await sendRaw(strictPort, line)).status, 421);
  assert.equal((await sendRaw(strictPort, 'GET /v1/open HTTP/1.0\r\n\r\n')).status, 400);
});

test('health and metrics answer for any host name, since probes and Prometheus use addresses', async (t) => {
  const shell = { ...plainShell, allowedHosts: ['api.example.com'] };
  const metrics = createMetrics({ db, pools: {} }, { ofServers: false });
  const served = await createTestApp(db, [probeRoutes, healthRoutes], { shell, metrics });
  t.after(() => served.close());
  const at = await listen(served);
  const { headers } = await createTestToken(db, { scopes: ['metrics:read'] });
  const ask = async (path: string, ...more: string[]) => {
    const lines = [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...more, '', ''];
    return (await sendRaw(at, lines.join('\r\n'))).status;
  };
  for (const path of ['/v1/health', '/v1/health/ready', '/api/v1/health/']) {
    assert.equal(await ask(path), 200, path);
  }
  assert.equal(await ask('/metrics', `Authorization: ${headers.authorization}`), 200);
  assert.equal(await ask('/metrics'), 401);
  for (const path of ['/v1/open', '/v1/healthy', '/openapi.json']) {
    assert.equal(await ask(path), 421, path);
  }
  assert.equal((await sendRaw(at, 'GET /v1/health HTTP/1.0\r\n\r\n')).status, 200);
  assert.equal((await sendRaw(at, 'GET /v1/health HTTP/1.1\r\n\r\n')).status, 400);
});

test('headers, URLs and bodies have a maximum size', async () => {
  const large = `X-A: ${'a'.repeat(17_000)}`;
  const many = Array.from({ length: 101 }, (_, at) => `X-${at}: a`);
  const long = `GET /v1/open?${'a'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`;
  for (const bytes of [get('Host: a', large), get('Host: a', ...many), long]) {
    const { status, text, isClosed } = await sendRaw(port, bytes);
    assert.deepEqual([status, isClosed], [431, true], text);
    assert.match(text, /"code":"headers_too_large"/);
  }
  assert.equal((await sendRaw(port, get('Host: a', ...many.slice(2)))).status, 200);
  const size = 2 * 1024 * 1024;
  const type = 'Content-Type: application/json';
  const announced = post([type, `Content-Length: ${size}`], 'a'.repeat(size));
  const chunk = `${(65_536).toString(16)}\r\n${'a'.repeat(65_536)}\r\n`;
  const inChunks = post([type, 'Transfer-Encoding: chunked'], `${chunk.repeat(32)}0\r\n\r\n`);
  for (const bytes of [announced, inChunks]) {
    const { status, text } = await sendRaw(port, bytes);
    assert.equal(status, 413, text);
  }
  await isStillServed();
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type ConnectionOptions, connect } from 'node:tls';
import { pino } from 'pino';
import { Type } from 'typebox';
import { SetupError } from '../../../setup/commands.mjs';
import type { App } from '../callers/app-types.ts';
import { createTestApp } from '../testing/app.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { sendRaw } from '../testing/raw.ts';
import { until } from '../testing/until.ts';
import { openTls, type Tls } from './tls.ts';

const directory = mkdtempSync(join(tmpdir(), 'berth-tls-'));
const path = (name: string) => join(directory, name);
const files = { cert: path('cert.pem'), key: path('key.pem') };
const { db, close } = await createTestDatabase();
const lines: string[] = [];
const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });

let app: App;
let tls: Tls;
let port: number;

function makePair(name: string): void {
  const of = ['-keyout', path(`${name}.key`), '-out', path(`${name}.cert`)];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const subject = ['-subj', `/CN=${name}`, '-days', '2', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...of], { stdio: 'pipe' });
}

/** Replaces the files atomically, as tools for certificates do. */
function put(content: string | Buffer, as: 'cert' | 'key'): void {
  writeFileSync(path('next'), content);
  renameSync(path('next'), files[as]);
}

const putOf = (name: string, as: 'cert' | 'key') => put(readFileSync(path(`${name}.${as}`)), as);

before(async () => {
  for (const name of ['one', 'two']) makePair(name);
  putOf('one', 'cert');
  putOf('one', 'key');
  tls = await openTls(files, log, 20);
  const schema = { response: { 200: Type.Any() } };
  const routes = (api: App) =>
    void api.get('/open', { config: { scope: 'public' }, schema }, async () => ({ ok: true }));
  app = await createTestApp(db, [routes], { tls });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  assert.match(url, /^https:/);
  port = (app.server.address() as AddressInfo).port;
});
after(async () => {
  await app.close();
  await close();
  rmSync(directory, { recursive: true });
});

async function secure(options: ConnectionOptions = {}) {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

async function nameShown(): Promise<string> {
  const socket = await secure();
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}

function ask(agent?: Agent) {
  const options = { host: '127.0.0.1', port, path: '/v1/open', rejectUnauthorized: false, agent };
  return new Promise<{ status?: number; hsts?: string }>((resolve, reject) => {
    const asked = request(options, ({ statusCode, headers }) => {
      resolve({ status: statusCode ?? 0, hsts: headers['strict-transport-security'] ?? '' });
    });
    asked.once('error', reject).end();
  });
}

test('it answers over TLS, and tells browsers to always use TLS', async () => {
  assert.deepEqual(await ask(), { status: 200, hsts: 'max-age=31536000' });
});

test('TLS 1.2 or newer is required', async () => {
  const socket = await secure({ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' });
  assert.equal(socket.getProtocol(), 'TLSv1.2');
  socket.destroy();
  // Otherwise the client itself would refuse the old versions.
  const old = {
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  } as const;
  await assert.rejects(secure(old), /alert protocol version/);
});

test('a client without TLS gets no answer, and affects nothing else', async () => {
  const plain = await sendRaw(port, 'GET /v1/open HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.deepEqual([plain.status, plain.isClosed], [0, true]);
  assert.equal((await ask()).status, 200);
});

test('a new certificate is used for new connections, and an invalid one is not', async () => {
  const opened = await secure();
  assert.equal(await nameShown(), 'one');
  const complaints = () => lines.filter((line) => line.includes('is invalid')).length;
  const complaint = (count: number) =>
    until(`there are ${count} errors in the log`, complaints, (seen) => seen === count);
  const taken = (name: string) =>
    until(`the certificate of ${name} is shown`, nameShown, (seen) => seen === name);
  putOf('two', 'cert');
  await complaint(1);
  assert.equal(await nameShown(), 'one');
  putOf('two', 'key');
  await taken('two');
  put('nonsense', 'cert');
  await complaint(2);
  rmSync(files.key);
  await complaint(3);
  assert.equal(await nameShown(), 'two');
  putOf('one', 'key');
  putOf('one', 'cert');
  await taken('one');
  opened.write('GET /v1/open HTTP/1.1\r\nHost: a\r\n\r\n');
  const [answer] = await once(opened, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 200/);
  opened.destroy();
  assert.ok(!lines.join('').includes('PRIVATE'));
});

test('unusable files prevent a start', async () => {
  const nowhere = path('nowhere');
  for (const bad of [
    { cert: nowhere, key: path('one.key') },
    { cert: path('one.cert'), key: nowhere },
    { cert: path('one.cert'), key: path('two.key') },
    { cert: path('one.key'), key: path('one.key') },
  ]) {
    await assert.rejects(openTls(bad, log), SetupError);
  }
});

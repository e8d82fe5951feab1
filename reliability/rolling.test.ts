import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { onFreePort } from '../e2e/ports.ts';
import {
  removeService,
  type Service,
  serviceLog,
  startService,
  stopService,
} from '../e2e/service.ts';
import { type Simulator, startSimulator } from '../incus-sim/src/simulator.ts';
import { openConsole } from '../service/src/testing/consoles.ts';
import { createTestDatabase, type TestDatabase } from '../service/src/testing/postgres.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';
import { until } from '../service/src/testing/until.ts';
import { haproxyCommand } from '../setup/haproxy.mjs';
import { makeCertificate } from './certificate.ts';
import { configureHaproxy } from './haproxy.ts';

// Tests two services with one external PostgreSQL behind HAProxy, with the configuration
// deploy/haproxy.cfg.

const names = { project: 'rolling', pool: 'rolling', network: 'rolling0' };
const root = temporaryDirectory('rolling');
const drainSeconds = 6;
const mostBadTokens = 10;
let database: TestDatabase;
let simulator: Simulator;
let haproxy: ChildProcess;
let agent: Agent;
let ca: string;
let port: number;
let token: string;
/** The port of each service, which it keeps when it is restarted. */
const ports: Record<string, number> = {};

before(async () => {
  database = await createTestDatabase();
  const timing = { create: 50, start: 50, boot: 100 };
  const memoryBytes = 2 ** 40;
  const listen = { socketPath: join(root, 'incus.socket') };
  simulator = await startSimulator({ listen, timing, memoryBytes });
  simulator.plant({ ...names, imageAliases: ['berth-debian-12'] });
  const first = await start('service-1');
  ({ token } = first);
  await start('service-2', first);
  await onFreePort(startHaproxy);
});

after(async () => {
  agent?.destroy();
  if (haproxy && haproxy.exitCode === null) {
    haproxy.kill('SIGKILL');
    await once(haproxy, 'exit');
  }
  for (const name of ['service-1', 'service-2']) await removeService(join(root, name));
  await simulator.close();
  await database.close();
  rmSync(root, { recursive: true, force: true });
});

async function start(name: string, beside?: Service): Promise<Service> {
  const service = await startService({
    directory: join(root, name),
    beside,
    names,
    socketPath: simulator.socketPath,
    databaseUrl: database.connectionString,
    ...(ports[name] !== undefined && { port: ports[name] }),
    env: {
      BERTH_DRAIN_SECONDS: String(drainSeconds),
      BERTH_TRUST_PROXY: '127.0.0.1',
      BERTH_ALLOWED_HOSTS: 'localhost,127.0.0.1',
      BERTH_LOG_LEVEL: 'info',
      BERTH_LIMIT_BAD_TOKENS: `1/${mostBadTokens}`,
    },
  });
  ports[name] = service.port;
  return service;
}

const haproxyLog = join(root, 'haproxy.log');
const logged = () => readFileSync(haproxyLog, 'utf8');

/** The changes to the shipped configuration. */
function changes(chosen: number, pem: string): [string, string][] {
  return [
    ['bind :80,:::80 v6only\n', `bind unix@${root}/http.sock\n`],
    [
      'bind :443,:::443 v6only ssl crt /etc/haproxy/berth.pem',
      `bind 127.0.0.1:${chosen} ssl crt ${pem}`,
    ],
    // A service on a busy machine may be slow, and must not count as failed.
    ['timeout connect 2s\n', 'timeout connect 60s\n    timeout check 60s\n'],
  ];
}

async function startHaproxy(chosen: number): Promise<void> {
  const { path: pem, ...certificate } = makeCertificate(root);
  ({ ca } = certificate);
  const log = openSync(haproxyLog, 'a');
  const [one, two] = Object.values(ports).map((port) => `127.0.0.1:${port}`);
  const started = spawn(
    haproxyCommand(),
    ['-f', configureHaproxy(root, changes(chosen, pem)), '-db'],
    {
      stdio: ['ignore', log, log],
      env: { ...process.env, SERVICE_1: one, SERVICE_2: two },
    },
  );
  closeSync(log);
  haproxy = started;
  port = chosen;
  agent = new Agent({ ca, keepAlive: true, maxSockets: 16 });
  await until('HAProxy answers', async () => {
    if (started.exitCode !== null) throw new Error(`HAProxy ended: ${logged()}`);
    return (await ask('GET', '/servers')).status === 200;
  });
}

interface Answer {
  /** The status of the response; 0 if there was none. */
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

interface Asked {
  body?: object;
  headers?: Record<string, string>;
  /** An address of this machine. Requests from it use a separate connection. */
  from?: string;
}

async function ask(
  method: string,
  path: string,
  { body, headers = {}, from }: Asked = {},
): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const failed = (error: Error) => resolve({ status: 0, headers: {}, body: String(error) });
  const asked = request(
    {
      host: 'localhost',
      family: 4,
      port,
      path: `/v1${path}`,
      method,
      ...(from === undefined ? { agent } : { agent: false, ca, localAddress: from }),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
    },
    async (response) => {
      try {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, headers: answered, body: await text(response) });
      } catch (error) {
        failed(error as Error);
      }
    },
  );
  asked.on('error', failed);
  asked.end(body && JSON.stringify(body));
  return await promise;
}

/** Repeats a request with the same Idempotency-Key until it gets a response. */
async function create(name: string): Promise<Answer> {
  const body = {
    name,
    location_id: 1,
    os_id: 1,
    password: 'correct horse',
    initialCommands: [],
    cpu: 1,
    ram: 256,
    disk: 2,
  };
  const headers = { 'idempotency-key': name };
  for (let tries = 0; ; tries += 1) {
    const answer = await ask('POST', '/servers', { body, headers });
    if (![0, 502, 503, 504].includes(answer.status) || tries === 100) return answer;
    await sleep(200);
  }
}

interface Traffic {
  reads: number;
  created: string[];
  bad: string[];
}

/** What the clients read. */
const readers = ['/servers', '/servers', '/servers?limit=1'];

/** Runs clients that read continuously without retries, and clients that create objects, during `during`. */
async function traffic(prefix: string, during: () => Promise<void>): Promise<Traffic> {
  const seen: Traffic = { reads: 0, created: [], bad: [] };
  let isOver = false;
  async function read(path: string): Promise<void> {
    while (!isOver) {
      const { status, body } = await ask('GET', path);
      seen.reads += 1;
      if (status !== 200) seen.bad.push(`GET ${path}: ${status} ${body.slice(0, 300)}`);
    }
  }
  async function write(): Promise<void> {
    for (let count = 0; !isOver; count += 1) {
      const name = `${prefix}-${count}`;
      const { status, body } = await create(name);
      if (status === 201) seen.created.push(name);
      else seen.bad.push(`POST ${name}: ${status} ${body.slice(0, 300)}`);
      await sleep(300);
    }
  }
  const clients = [...readers.map(read), write()];
  try {
    await during();
    await until(
      'enough requests were sent',
      () => ({ reads: seen.reads, created: seen.created.length, bad: seen.bad.length }),
      ({ reads, created, bad }) => (reads > 50 && created > 3) || bad > 0,
    );
  } finally {
    isOver = true;
  }
  await Promise.all(clients);
  return seen;
}

/** Everything that was created exists once, and is running. */
async function checkCreated(prefix: string, created: string[]): Promise<void> {
  const find = async () => {
    const servers: { hostname: string; status: string }[] = JSON.parse(
      (await ask('GET', '/servers')).body,
    );
    return servers.filter(({ hostname }) => hostname.startsWith(prefix));
  };
  await until('all run', find, (all) => all.every(({ status }) => status === 'started'));
  assert.deepEqual((await find()).map(({ hostname }) => hostname).sort(), created.toSorted());
}

/** Waits until HAProxy has logged this state again. */
function heard(name: string, state: 'UP' | 'DOWN'): () => Promise<void> {
  const said = () => logged().split(`Server services/${name} is ${state}`).length;
  const before = said();
  return async () => {
    await until(`${name} is ${state} again`, said, (times) => times > before);
  };
}

async function checkNothingLost(prefix: string, { created, bad }: Traffic): Promise<void> {
  assert.deepEqual(bad.slice(0, 5), []);
  await checkCreated(prefix, created);
}

test('the console of a server is opened through the proxy, by either service', async () => {
  const { body } = await create('console');
  const { id } = JSON.parse(body);
  await checkCreated('console', ['console']);
  const paths = new Set<string>();
  const logs = () =>
    Object.keys(ports).map((name) => readFileSync(serviceLog(join(root, name)), 'utf8'));
  const haveShown = () => logs().every((log) => log.includes('A console was opened'));
  // The proxy chooses the service with the fewest connections, so that an open console leads to the other one.
  for (let times = 0; times < 4; times += 1) {
    const answer = await ask('POST', `/servers/${id}/console`);
    assert.equal(answer.status, 201, answer.body);
    const { url } = JSON.parse(answer.body);
    assert.match(url, new RegExp(`^wss://localhost:${port}/v1/consoles/`));
    paths.add(new URL(url).pathname);
    const console = await openConsole(url, { ca });
    if (times === 0) await console.shows(/login: /);
    console.type(`typed-${times}`);
    await console.shows(new RegExp(`typed-${times}`));
  }
  await until('each service has shown one', haveShown, Boolean);
  for (const path of paths) assert.ok(!logs().join().includes(path), 'no ticket is in the log');
});

test('a killed service loses no request whose response has not begun', async () => {
  const seen = await traffic('killed', async () => {
    const [down, up] = [heard('service-2', 'DOWN'), heard('service-2', 'UP')];
    await sleep(1000);
    await stopService(join(root, 'service-2'), 'SIGKILL');
    await down();
    await start('service-2');
    await up();
  });
  // A proxy can't repeat a request whose response has begun. Each reader has one request at a time.
  const isCutOff = (what: string) => what.endsWith(': 0 Error: aborted');
  const cutOff = seen.bad.filter(isCutOff);
  assert.ok(cutOff.length <= readers.length, cutOff.join('\n'));
  await checkNothingLost('killed', { ...seen, bad: seen.bad.filter((what) => !isCutOff(what)) });
});

test('services that are restarted one after another lose no request', async () => {
  const seen = await traffic('rolling', async () => {
    for (const name of ['service-1', 'service-2']) {
      const [down, up] = [heard(name, 'DOWN'), heard(name, 'UP')];
      await stopService(join(root, name), 'SIGTERM');
      await down();
      await start(name);
      await up();
    }
  });
  await checkNothingLost('rolling', seen);
});

test('the address of the client is passed on, and metrics are not public', async () => {
  const { headers } = await ask('GET', '/servers');
  assert.match(String(headers['strict-transport-security']), /max-age/, 'Berth detects HTTPS');
  assert.equal((await ask('GET', '/../metrics')).status, 404);
  const log = readFileSync(join(root, 'service-1', 'service.log'), 'utf8');
  assert.doesNotMatch(log, /"route":"\/metrics"/);
});

test('forwarded addresses from a client are ignored', async () => {
  const forged = {
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'evil.example',
    'x-real-ip': '203.0.113.9',
    forwarded: 'for=203.0.113.9;proto=http',
  };
  // The second address is that of the proxy, which the services trust.
  for (const from of ['127.0.0.2', '127.0.0.1']) {
    const body = { name: `from-${from}`, scopes: ['servers:read'] };
    const made = await ask('POST', '/tokens', { body, headers: forged, from });
    assert.equal(made.status, 201, made.body);
    assert.match(
      String(made.headers['strict-transport-security']),
      /max-age/,
      'the request used HTTPS',
    );
    const list = await ask('GET', '/audit?action=token_create&sort=-id&limit=1');
    assert.equal(JSON.parse(list.body)[0].address, from);
  }
  // It does not get more attempts with invalid tokens by claiming another address for each.
  // Each of the two services allows the limit before it is notified by the other one. The requests are concurrent,
  // because one more is allowed every second.
  const tries = Array.from({ length: 6 * mostBadTokens }, async (_, at) => {
    const headers = { authorization: 'Bearer berth_bad', 'x-forwarded-for': `198.51.100.${at}` };
    return (await ask('GET', '/servers', { headers, from: '127.0.0.3' })).status;
  });
  const statuses = await Promise.all(tries);
  assert.ok(statuses.includes(429), statuses.join());
});

test('while no service answers, the error is one of Berth', async () => {
  for (const name of ['service-1', 'service-2']) {
    const down = heard(name, 'DOWN');
    await stopService(join(root, name), 'SIGKILL');
    await down();
  }
  const { status, headers, body } = await ask('GET', '/servers');
  assert.deepEqual([status, headers['retry-after']], [503, '2']);
  assert.match(String(headers['content-type']), /application\/problem\+json/);
  assert.equal(JSON.parse(body).code, 'unavailable');
});

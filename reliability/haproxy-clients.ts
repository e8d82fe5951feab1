import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent, request } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../service/src/testing/until.ts';
import { haproxyCommand } from '../setup/haproxy.mjs';
import { makeCertificate } from './certificate.ts';
import { configureHaproxy } from './haproxy.ts';

// Clients of many addresses before the HAProxy of `deploy/`, in a network namespace of their own; prints what
// became of them. Started by `haproxy-limits.test.ts`.

const [directory = ''] = process.argv.slice(2);
const port = 8443;
const addresses = {
  sharing: ['2001:db8:1::1', '2001:db8:1::2'],
  neighbour: '2001:db8:2::1',
  many: '192.0.2.1',
  often: '192.0.2.2',
  busy: '192.0.2.3',
  other: '192.0.2.4',
};

execFileSync('ip', ['link', 'set', 'lo', 'up']);
for (const address of Object.values(addresses).flat()) {
  const [family, length] = address.includes(':') ? ['-6', '128'] : ['-4', '32'];
  execFileSync('ip', [family, 'addr', 'add', `${address}/${length}`, 'dev', 'lo']);
}
const service = createServer(({ headers }, answer) =>
  answer.end(JSON.stringify({ from: headers['x-forwarded-for'] })),
).listen(0, '127.0.0.1');
await once(service, 'listening');
const { path: pem, ca } = makeCertificate(directory);
const haproxy = startHaproxy();
const agents: Agent[] = [];
try {
  await until('HAProxy answers', async () => (await ask(addresses.other)).status === 200);
  console.log(JSON.stringify(await findOut()));
} finally {
  for (const agent of agents) agent.destroy();
  service.close().closeAllConnections();
  haproxy.kill('SIGKILL');
}

/**
 * The configuration as it stands, with lower rates: so many would take a while. They are counted
 * over an hour, so that a slow machine comes to them, too.
 */
function startHaproxy() {
  const changes: [string, string][] = [
    ['bind :80,:::80 v6only\n', 'bind 127.0.0.1:8080\n'],
    ['bind :443,:::443 v6only', `bind :${port},:::${port} v6only`],
    ['/etc/haproxy/berth.pem', pem],
    ['expire 60s store', 'expire 1h store'],
    ['conn_rate(10s),http_req_rate(10s)', 'conn_rate(1h),http_req_rate(1h)'],
    ['timeout http-request 15s', 'timeout http-request 120s'],
    ['sc0_conn_rate gt 1000', 'sc0_conn_rate gt 200'],
    ['sc0_http_req_rate gt 20000', 'sc0_http_req_rate gt 50'],
  ];
  const file = configureHaproxy(directory, changes);
  const at = `127.0.0.1:${(service.address() as AddressInfo).port}`;
  const env = { ...process.env, SERVICE_1: at, SERVICE_2: at };
  return spawn(haproxyCommand(), ['-f', file, '-db'], { stdio: ['ignore', 2, 2], env });
}

async function findOut() {
  return {
    ofOneNetwork: await openAtOnce(addresses.sharing, 75),
    ofTheNextNetwork: await openAtOnce([addresses.neighbour], 10),
    ofOneAddress: await openAtOnce([addresses.many], 120),
    openedUntilRefused: await openOften(addresses.often),
    requests: await askOften(addresses.busy),
    other: (await ask(addresses.other)).status,
    from: [await seen(addresses.sharing[0]), await seen(addresses.other)],
  };
}

/** Whom a service takes that client for. */
async function seen(localAddress = ''): Promise<string> {
  return JSON.parse((await ask(localAddress)).body ?? '{}').from;
}

function target(localAddress: string): string {
  return localAddress.includes(':') ? '::1' : '127.0.0.1';
}

async function open(localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: target(localAddress), localAddress });
  socket.on('error', () => undefined).resume();
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  return socket;
}

/** How many of each these connections are left. */
async function openAtOnce(from: string[], each: number): Promise<number> {
  const sockets: Socket[] = [];
  for (const address of from) {
    for (let at = 0; at < each; at += 1) sockets.push(await open(address));
  }
  const left = () => sockets.filter(({ closed }) => !closed).length;
  await until('at most 100 are left', left, (count) => count <= 100);
  await sleep(500);
  const count = left();
  for (const socket of sockets) socket.destroy();
  return count;
}

/** How many are let in, one after another, before one is not. */
async function openOften(from: string): Promise<number> {
  for (let count = 0; count < 5000; count += 1) {
    const { status } = await ask(from, new Agent({ ca }));
    if (status === 0) return count;
  }
  return Number.POSITIVE_INFINITY;
}

async function askOften(from: string) {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  for (let count = 0; count < 5000; count += 1) {
    const answer = await ask(from, agent);
    if (answer.status !== 200) return { count, ...answer };
  }
  return undefined;
}

/** A status of 0 where there is no answer. */
async function ask(localAddress: string, agent = new Agent({ ca })) {
  const host = target(localAddress);
  const asked = request({ host, port, localAddress, agent, servername: 'localhost' }).end();
  try {
    const [answer] = await once(asked, 'response');
    const { statusCode: status, headers } = answer;
    return { status, retryAfter: headers['retry-after'], body: await text(answer) };
  } catch {
    return { status: 0 };
  }
}

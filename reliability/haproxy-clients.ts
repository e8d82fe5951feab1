import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../service/src/testing/until.ts';
import { haproxyCommand } from '../setup/haproxy.mjs';
import { makeCertificate } from './certificate.ts';
import { configureHaproxy } from './haproxy.ts';

// Sends requests from many addresses to the HAProxy of `deploy/`, in a separate network namespace, and prints the
// results. `haproxy-limits.test.ts` starts it.

const [directory = ''] = process.argv.slice(2);
const addresses = {
  sharing: ['2001:db8:1::1', '2001:db8:1::2'],
  neighbour: '2001:db8:2::1',
  many: '192.0.2.1',
  often: '192.0.2.2',
  busy: '192.0.2.3',
  other: '192.0.2.4',
  plainMany: '192.0.2.5',
  plainOften: '192.0.2.6',
  plainBusy: '192.0.2.7',
};

execFileSync('ip', ['link', 'set', 'lo', 'up']);
for (const address of Object.values(addresses).flat()) {
  const [family, length] = address.includes(':') ? ['-6', '128'] : ['-4', '32'];
  execFileSync('ip', [family, 'addr', 'add', `${address}/${length}`, 'dev', 'lo']);
}
const service = http
  .createServer(({ headers }, answer) =>
    answer.end(JSON.stringify({ from: headers['x-forwarded-for'] })),
  )
  .listen(0, '127.0.0.1');
await once(service, 'listening');
const { path: pem, ca } = makeCertificate(directory);
const ports = {
  tls: {
    port: 8443,
    request: https.request,
    agent: (keepAlive: boolean) =>
      new https.Agent({ ca, servername: 'localhost', keepAlive, maxSockets: 1 }),
  },
  plain: {
    port: 8080,
    request: http.request,
    agent: (keepAlive: boolean) => new http.Agent({ keepAlive, maxSockets: 1 }),
  },
};
type Port = (typeof ports)['tls' | 'plain'];
const haproxy = startHaproxy();
const agents: http.Agent[] = [];
try {
  await until('HAProxy answers', async () => (await ask(addresses.other)).status === 200);
  console.log(JSON.stringify(await findOut()));
} finally {
  for (const agent of agents) agent.destroy();
  service.close().closeAllConnections();
  haproxy.kill('SIGKILL');
}

/**
 * The shipped configuration with lower limits, which take less time to reach. Rates are counted over an hour, so that a
 * slow machine reaches them as well.
 */
function startHaproxy() {
  const changes: [string, string][] = [
    ['bind :80,:::80 v6only\n', `bind ${both(ports.plain)}\n`],
    ['bind :443,:::443 v6only', `bind ${both(ports.tls)}`],
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

/** Its addresses in both families. */
function both({ port }: Port): string {
  return `:${port},:::${port} v6only`;
}

async function findOut() {
  const plain = await askOften(addresses.plainBusy, ports.plain);
  return {
    ofOneNetwork: await openAtOnce(addresses.sharing, 75),
    ofTheNextNetwork: await openAtOnce([addresses.neighbour], 10),
    ofOneAddress: await openAtOnce([addresses.many], 120),
    openedUntilRefused: await openOften(addresses.often),
    requests: await askOften(addresses.busy),
    plain: {
      ofBothPorts: await openAtOnce([addresses.plainMany], 60, [ports.tls, ports.plain]),
      openedUntilRefused: await openOften(addresses.plainOften, ports.plain),
      requests: [plain?.count, plain?.status],
      other: (await ask(addresses.other, ports.plain)).status,
    },
    other: (await ask(addresses.other)).status,
    from: [
      await seen(addresses.sharing[0]),
      await seen(addresses.neighbour),
      await seen(addresses.other),
    ],
  };
}

/** The client address that a service sees. */
async function seen(localAddress = ''): Promise<string> {
  return JSON.parse((await ask(localAddress)).body ?? '{}').from;
}

function target(localAddress: string): string {
  return localAddress.includes(':') ? '::1' : '127.0.0.1';
}

async function open(localAddress: string, { port }: Port): Promise<Socket> {
  const socket = connect({ port, host: target(localAddress), localAddress });
  socket.on('error', () => undefined).resume();
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  return socket;
}

/** Returns how many connections stay open if each of these addresses opens `each` to each of these ports. */
async function openAtOnce(from: string[], each: number, to: Port[] = [ports.tls]): Promise<number> {
  const sockets: Socket[] = [];
  for (const address of from) {
    for (const port of to) {
      for (let at = 0; at < each; at += 1) sockets.push(await open(address, port));
    }
  }
  const left = () => sockets.filter(({ closed }) => !closed).length;
  await until('at most 100 are left', left, (count) => count <= 100);
  await sleep(500);
  const count = left();
  for (const socket of sockets) socket.destroy();
  return count;
}

/** Returns how many connections are accepted, one after the other, until one is refused. */
async function openOften(from: string, port: Port = ports.tls): Promise<number> {
  for (let count = 0; count < 5000; count += 1) {
    const { status } = await ask(from, port);
    if (status === 0) return count;
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns the first response that differs from the previous ones, and the number of those. */
async function askOften(from: string, port: Port = ports.tls) {
  const agent = port.agent(true);
  agents.push(agent);
  const { status: usual } = await ask(from, port, agent);
  for (let count = 1; count < 5000; count += 1) {
    const answer = await ask(from, port, agent);
    if (answer.status !== usual) return { count, ...answer };
  }
  return undefined;
}

/** The status is 0 if there is no response. */
async function ask(localAddress: string, to: Port = ports.tls, agent = to.agent(false)) {
  const { port, request } = to;
  const asked = request({ host: target(localAddress), port, localAddress, agent }).end();
  try {
    const [answer] = await once(asked, 'response');
    const { statusCode: status, headers } = answer;
    return { status, retryAfter: headers['retry-after'], body: await text(answer) };
  } catch {
    return { status: 0 };
  }
}

import assert from 'node:assert/strict';
import { createServer, type Server as Listener } from 'node:net';
import { after, before, test } from 'node:test';
import type { Server } from '@berth/contract/servers';
import { createIncusClient } from '../service/src/incus/client.ts';
import { call, created, incusNetwork, incusSocket, remove, until } from './api.ts';
import { becomePublic, bringOutside, host, lan, metadata, outside, ports } from './outside.ts';
import { allow, reached, roundsSeconds } from './reach.ts';
import { ssh, untilSsh } from './ssh.ts';

// What a server reaches, on both families: root in it tries.

let around: AsyncDisposable | undefined;
let listener: Listener;
let port: number;
let one: Server;
let other: Server;
let gateways: string[];

const incus = createIncusClient({ socketPath: incusSocket(), project: 'default' });
const addressesOf = (server: Server) => server.ip_addresses.map(({ ip }) => ip);
const sshOf = (server: Server) => addressesOf(server)[0] ?? '';
const from = (places: string[]) => reached(sshOf(one), places);
const at = (addresses: string[], where: number) =>
  addresses.map((address) => `${address} ${where}`);

before(async () => {
  around = await bringOutside();
  listener = createServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => void listener.listen(0, '::', resolve));
  port = (listener.address() as { port: number }).port;
  const network = await incus.networks.get(incusNetwork());
  gateways = ['ipv4.address', 'ipv6.address'].map(
    (key) => network?.config[key]?.split('/')[0] ?? '',
  );
  one = await created();
  other = await created();
});

after(async () => {
  await call('PATCH', '/v1/locations/1', { allowed_destinations: [], smtp: 'blocked' });
  for (const server of [one, other]) if (server) await remove(server.id);
  await incus.close();
  listener?.close();
  await around?.[Symbol.asyncDispose]();
});

/** All that is closed unless it is allowed. */
const closed = () => [
  ...at(gateways, port),
  ...at([...host.bridge, ...host.link], port),
  ...at([lan.ipv4, lan.ipv6, metadata], ports.http),
  ...at([outside.ipv4, outside.ipv6], ports.smtp),
  ...at(addressesOf(other), 22),
];

test('a server reaches the Internet and DNS, and neither host, LAN, metadata, mail nor neighbours', async () => {
  const open = [...at([outside.ipv4, outside.ipv6], ports.http), ...at(gateways, 53)];
  assert.deepEqual(await from(open), open);
  assert.deepEqual(await from(closed()), []);
  for (const gateway of gateways) assert.equal(await answersQuestions(gateway), true, gateway);
});

/** Of the name `x.incus`, which the name server knows by itself not to be there (RFC 1035, 4.1). */
const question = '\\x12\\x34\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\1x\\5incus\\0\\0\\1\\0\\1';

/** Whether a name server answers a guest over UDP: with the head of an answer, of 12 bytes. */
async function answersQuestions(server: string): Promise<boolean> {
  const ask = `exec 3<>/dev/udp/${server}/53; printf '${question}' >&3; timeout 4 head -c 12 <&3 | wc -c`;
  return (await ssh(sshOf(one), `bash -c "${ask}"`)) === '12';
}

const byGateway = 'via GATEWAY dev eth0 onlink';

/** On both servers, to the addresses of the other. */
async function setRoutes(verb: 'add' | 'del', way: string): Promise<void> {
  for (const [server, neighbour] of [
    [one, other],
    [other, one],
  ] as const) {
    const routes = addressesOf(neighbour).map(
      (ip, family) => `ip route ${verb} ${ip} ${way.replace('GATEWAY', gateways[family] ?? '')}`,
    );
    await ssh(sshOf(server), routes.join(' && '));
  }
}

test('two servers that work together reach each other neither by the gateway nor beside it', async () => {
  const theirs = addressesOf(other);
  for (const way of [byGateway, 'dev eth0']) {
    await setRoutes('add', way);
    assert.deepEqual(await from(at(theirs, 22)), [], way);
    await setRoutes('del', way);
  }
});

test('a public address of the machine itself is closed once it has it', async () => {
  becomePublic();
  await until('its addresses are closed', roundsSeconds, async () => {
    return (await from(at(host.public, port))).length === 0;
  });
});

test('what a location allows is reached, and closed again when it no longer does', async () => {
  const hosts = [...gateways, ...host.bridge, ...host.link];
  const single = [...hosts, ...addressesOf(other), metadata].map((ip) => {
    return `${ip}/${ip.includes(':') ? 128 : 32}`;
  });
  // They stay for the next test: with them the two do all that they can to reach each other.
  await setRoutes('add', byGateway);
  await allow({ allowed_destinations: [...single, ...lan.networks], smtp: 'open' });
  assert.deepEqual(await from(closed()), closed());
  await allow({ allowed_destinations: [], smtp: 'blocked' });
  assert.deepEqual(await from(closed()), []);
});

test('without its rules a network is open, until they are put back by themselves', async () => {
  const name = incusNetwork();
  let open: string[] = [];
  // They may be put back within the second.
  for (let tries = 0; tries < 3 && open.length === 0; tries += 1) {
    const found = await incus.networks.getTagged(name);
    assert.ok(found);
    await incus.networks.configure(name, { 'security.acls': '' }, found.etag);
    open = await from(closed());
  }
  // By IPv6 its neighbour is not found at once after the bridge was set up anew.
  const neighbour = at(addressesOf(other), 22).at(-1);
  assert.deepEqual(
    open.filter((place) => place !== neighbour),
    closed().filter((place) => place !== neighbour),
  );
  // The network has them by name before its daemon goes by them.
  await until('they are put back', roundsSeconds, async () => {
    return (await from(closed())).length === 0;
  });
});

test('a server has its addresses alone, and the way to its gateway, over a restart', async () => {
  const address = sshOf(one);
  const look = async () => {
    const shown = await ssh(address, 'ip -o address show dev eth0 scope global');
    const own = [...shown.matchAll(/inet6? (\S+)/g)].map(([, cidr]) => cidr).sort();
    const expected = addressesOf(one)
      .map((ip) => `${ip}/${ip.includes(':') ? 128 : 32}`)
      .sort();
    assert.deepEqual(own, expected);
    const routes = await ssh(address, 'ip route show default; ip -6 route show default');
    for (const gateway of gateways) assert.ok(routes.includes(`via ${gateway} dev eth0`), routes);
  };
  await look();
  await call('POST', `/v1/servers/${one.id}/restart`, undefined, { prefer: 'wait=60' });
  await untilSsh(address);
  await look();
  const open = at([outside.ipv4, outside.ipv6], ports.http);
  assert.deepEqual(await from(open), open);
});

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { eventually, until } from '../service/src/testing/until.ts';
import { call, directory, incusNetwork, incusSocket, metrics } from './api.ts';
import { incus as incusCommand } from './incus.ts';
import { addressesOf, at, byGateway, sshOf, useNeighbours } from './neighbours.ts';
import { becomePublic, floodFromOutside, host, lan, metadata, outside, ports } from './outside.ts';
import { run } from './processes.ts';
import { allow, askForRound } from './reach.ts';
import { currentService, withSettings } from './service.ts';
import { ssh, sshSend, untilSsh } from './ssh.ts';

// Tests that network rules follow the addresses of the machine, the settings of the location, and changes by others.

after(() => call('PATCH', '/v1/locations/1', { allowed_destinations: [], smtp: 'blocked' }));

const around = useNeighbours();
/** A profile that puts instances of others on the servers' network. */
const sharing = 'e2e-sharing';
const askIncus = (...args: string[]) =>
  incusCommand({ socketPath: incusSocket(), names: { project: 'default' } }, args);

/** A probe takes as long as the guest waits for a destination that does not answer. */
const opens = (places: string[]) =>
  eventually(async () => assert.deepEqual(await around.from(places), places));
/** The network names its rules before the daemon has applied them. */
const closes = (places: string[]) =>
  eventually(async () => assert.deepEqual(await around.from(places), []));

const script = (name: string) => readFileSync(new URL(`attacks/${name}.pl`, import.meta.url));

/** The link-local address of the host on the servers' bridge. */
async function linkLocal(): Promise<string> {
  const state = await around.incus.networks.getState(incusNetwork());
  const found = state?.addresses?.find(
    ({ scope, family }) => scope === 'link' && family === 'inet6',
  );
  assert.ok(found, 'the bridge has a link-local address');
  return found.address;
}

/** Returns the addresses that answer an echo request of a server in time. */
async function pinged(addresses: string[]): Promise<string[]> {
  const printed = await sshSend(sshOf(around.one), `perl - ${addresses.join(' ')}`, script('ping'));
  return printed.split('\n').filter(Boolean);
}

/** On a busy machine, a reply may be late. */
const allAnswer = (addresses: string[]) =>
  eventually(async () => assert.deepEqual(await pinged(addresses), addresses));

/** Returns the addresses of the machine at which datagrams of a server arrive. */
async function datagrams(addresses: string[]): Promise<string[]> {
  const arrived = new Set<string>();
  const socket = createSocket('udp6').on('message', (said) => arrived.add(said.toString().trim()));
  socket.bind(0, '::');
  await once(socket, 'listening');
  const { port } = socket.address();
  try {
    // It is sent more than once, since one may be lost during the neighbour lookup of the host.
    const send = addresses.map((to) => `echo ${to} > /dev/udp/${to}/${port}`).join('; ');
    await ssh(sshOf(around.one), `bash -c 'for _ in 1 2 3; do ${send}; sleep 0.5; done'`);
  } finally {
    socket.close();
  }
  return addresses.filter((address) => arrived.has(address));
}

test('the host can not be reached by its link-local address, UDP or ICMP', async () => {
  const { from, gateways, other, port } = around;
  const scoped = `${await linkLocal()}%eth0`;
  const hosts = [...gateways, ...host.bridge, ...host.link];
  assert.deepEqual(await from(at([scoped], port)), []);
  assert.deepEqual(await datagrams([scoped, ...hosts]), []);
  const reachable = [outside.ipv4, outside.ipv6];
  const others = [await linkLocal(), ...hosts, lan.ipv4, lan.ipv6, metadata, ...addressesOf(other)];
  // In one run, so that no answer of the others can have been late.
  const answering = await until(
    'those that can be reached answer',
    () => pinged([...reachable, ...others]),
    (found) => reachable.every((address) => found.includes(address)),
  );
  assert.deepEqual(answering, reachable);
  // Allowed destinations are reached, so the probes work.
  const allowed = host.link.map((ip) => `${ip}/${ip.includes(':') ? 128 : 32}`);
  await allow({ allowed_destinations: allowed });
  await eventually(async () => assert.deepEqual(await datagrams(host.link), host.link));
  await allAnswer(host.link);
  await allow({ allowed_destinations: [] });
});

test('neither a guest nor the outside can fill the node’s neighbour table, and a warning says where the outside can', async () => {
  const { gateways, one } = around;
  const [, gateway = ''] = gateways;
  const network = incusNetwork();
  const many = 3000;
  const bridge = ['-6', 'neighbour', 'show', 'dev', network, 'nud', 'all'];
  const entries = () =>
    run('ip', bridge)
      .split('\n')
      .filter((line) => line.includes('feed')).length;
  const bounded = (figure: 0 | 1) =>
    until(
      'the metric shows whether all addresses can be reached from outside',
      metrics,
      (all) => all.includes(`berth_location_ipv6_neighbours_bounded{location="local"} ${figure}\n`),
      180,
    );
  await askForRound();
  await bounded(1);
  const forget = () => run('ip', ['-6', 'neighbour', 'flush', 'dev', network, 'nud', 'all']);
  const flood = () => sshSend(sshOf(one), `perl - ${gateway} ${many}`, script('flood'));
  /** While Incus replaces rules, some packets pass. */
  const leavesNothing = (who: string, attack: () => unknown) =>
    eventually(async () => {
      forget();
      await attack();
      assert.equal(entries(), 0, who);
    });
  assert.ok(Number(await flood()) > 0);
  await leavesNothing('by a guest, through its gateway', flood);
  await leavesNothing('from outside', () => floodFromOutside(gateway, many));
  await askIncus('profile', 'create', sharing);
  try {
    await askIncus('profile', 'device', 'add', sharing, 'eth0', 'nic', `network=${network}`);
    await askForRound();
    await bounded(0);
    await leavesNothing('by a guest, while others use the network', flood);
    await eventually(() => {
      floodFromOutside(gateway, many);
      assert.ok(entries() > 1000, 'the attack works where it is not bounded');
    });
  } finally {
    await askIncus('profile', 'delete', sharing);
    forget();
  }
  await askForRound();
  await bounded(1);
});

test('a new public address of the machine is blocked', async () => {
  becomePublic();
  await askForRound();
  await closes(at(host.public, around.port));
});

test('servers reach the API at its public address, and nothing else there', async () => {
  const service = currentService(directory());
  const [publicIp = ''] = host.public;
  const reachable = {
    BERTH_HOST: '0.0.0.0',
    BERTH_PUBLIC_URL: `https://${publicIp}:${service.port}`,
    BERTH_ALLOWED_HOSTS: `${publicIp},127.0.0.1`,
  };
  await withSettings(directory(), reachable, async () => {
    await askForRound();
    await opens(at([publicIp], service.port));
    await closes([...at([publicIp], around.port), ...at(around.gateways, service.port)]);
  });
  await askForRound();
  await closes(at([publicIp], service.port));
});

test('allowed destinations can be reached, and are blocked again when they are no longer allowed', async () => {
  const { closed, gateways, other, setRoutes } = around;
  const hosts = [...gateways, ...host.bridge, ...host.link];
  const single = [...hosts, ...addressesOf(other), metadata].map((ip) => {
    return `${ip}/${ip.includes(':') ? 128 : 32}`;
  });
  // They are kept for the next test, in which the two servers try everything to reach each other.
  await setRoutes('add', byGateway);
  await allow({ allowed_destinations: [...single, ...lan.networks], smtp: 'open' });
  await opens(closed());
  await allow({ allowed_destinations: [], smtp: 'blocked' });
  await closes(closed());
});

test('a network without its rules is open until the reconciler restores them', async () => {
  const { closed, from, incus, other } = around;
  const name = incusNetwork();
  // With IPv6, the neighbour is not found at once after the bridge was created again.
  const neighbour = at(addressesOf(other), 22).at(-1);
  const places = closed().filter((place) => place !== neighbour);
  await eventually(async () => {
    // They may be restored within a second, and so during the probe.
    const found = await incus.networks.getTagged(name);
    assert.ok(found);
    await incus.networks.configure(name, { 'security.acls': '' }, found.etag);
    assert.deepEqual(await from(places), places);
  }, 180);
  await askForRound();
  await closes(closed());
});

test('a server has only its addresses and the route to its gateway, also after a restart', async () => {
  const { gateways, one } = around;
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
  await eventually(look);
  await opens(at([outside.ipv4, outside.ipv6], ports.http));
});

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../service/src/testing/until.ts';
import { call, incusNetwork } from './api.ts';
import { addressesOf, at, byGateway, sshOf, useNeighbours } from './neighbours.ts';
import { becomePublic, host, lan, metadata, outside, ports } from './outside.ts';
import { allow, askForRound } from './reach.ts';
import { ssh, untilSsh } from './ssh.ts';

// How what a server reaches follows the machine, the location's settings and what others do to its network.

after(() => call('PATCH', '/v1/locations/1', { allowed_destinations: [], smtp: 'blocked' }));

const around = useNeighbours();

/** Each look takes as long as the guest waits for what does not answer. */
const opens = (places: string[]) =>
  eventually(async () => assert.deepEqual(await around.from(places), places));
/** The network has its rules by name before its daemon goes by them. */
const closes = (places: string[]) =>
  eventually(async () => assert.deepEqual(await around.from(places), []));

test('a public address of the machine itself is closed once it has it', async () => {
  becomePublic();
  await askForRound();
  await closes(at(host.public, around.port));
});

test('what a location allows is reached, and closed again when it no longer does', async () => {
  const { closed, from, gateways, other, setRoutes } = around;
  const hosts = [...gateways, ...host.bridge, ...host.link];
  const single = [...hosts, ...addressesOf(other), metadata].map((ip) => {
    return `${ip}/${ip.includes(':') ? 128 : 32}`;
  });
  // They stay for the next test: with them the two do all that they can to reach each other.
  await setRoutes('add', byGateway);
  await allow({ allowed_destinations: [...single, ...lan.networks], smtp: 'open' });
  await opens(closed());
  await allow({ allowed_destinations: [], smtp: 'blocked' });
  assert.deepEqual(await from(closed()), []);
});

test('without its rules a network is open, until the reconciler puts them back', async () => {
  const { closed, from, incus, other } = around;
  const name = incusNetwork();
  // By IPv6 its neighbour is not found at once after the bridge was set up anew.
  const neighbour = at(addressesOf(other), 22).at(-1);
  const places = closed().filter((place) => place !== neighbour);
  await eventually(async () => {
    // They may be put back within the second, and so amid the look.
    const found = await incus.networks.getTagged(name);
    assert.ok(found);
    await incus.networks.configure(name, { 'security.acls': '' }, found.etag);
    assert.deepEqual(await from(places), places);
  }, 180);
  await askForRound();
  await closes(closed());
});

test('a server has its addresses alone, and the way to its gateway, over a restart', async () => {
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

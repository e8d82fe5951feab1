import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../service/src/testing/until.ts';
import { addressesOf, at, byGateway, sshOf, useNeighbours } from './neighbours.ts';
import { outside, ports } from './outside.ts';
import { ssh } from './ssh.ts';

// Tests what root in a server can reach in both address families, and what it cannot.

const around = useNeighbours();

test('a server reaches the Internet and DNS, but not the host, LAN, metadata, mail or neighbours', async () => {
  const { from, gateways, closed } = around;
  const open = [...at([outside.ipv4, outside.ipv6], ports.http), ...at(gateways, 53)];
  // A guest on a busy machine may wait for a response for longer than a probe lasts.
  await eventually(async () => assert.deepEqual(await from(open), open));
  // A probe of an address that does not answer takes until its timeout.
  const isClosed = async () => assert.deepEqual(await from(closed()), []);
  const isAnswered = (gateway: string) =>
    eventually(async () => assert.equal(await answersQuestions(gateway), true, gateway));
  await Promise.all([isClosed(), ...gateways.map(isAnswered)]);
});

/**
 * A query for the name `x.incus`, of which the name server itself knows that it does not exist (RFC
 * 1035, 4.1).
 */
const question = '\\x12\\x34\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\1x\\5incus\\0\\0\\1\\0\\1';

/** Whether a name server answers a guest over UDP: with the header of a response, of 12 bytes. */
async function answersQuestions(server: string): Promise<boolean> {
  const ask = `exec 3<>/dev/udp/${server}/53; printf '${question}' >&3; timeout 4 head -c 12 <&3 | wc -c`;
  return (await ssh(sshOf(around.one), `bash -c "${ask}"`)) === '12';
}

test('two cooperating servers can not reach each other, by the gateway or directly', async () => {
  const { from, other, setRoutes } = around;
  const theirs = addressesOf(other);
  for (const way of [byGateway, 'dev eth0']) {
    await setRoutes('add', way);
    assert.deepEqual(await from(at(theirs, 22)), [], way);
    await setRoutes('del', way);
  }
});

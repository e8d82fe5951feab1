import assert from 'node:assert/strict';
import type { Location, LocationUpdate } from '@berth/contract/locations';
import { until } from '../service/src/testing/until.ts';
import { call } from './api.ts';
import { ssh } from './ssh.ts';

/** Two rounds of the reconciler, on a machine that is busy. */
const roundsSeconds = 180;
/** A network for documentation (RFC 5737). Allowing it has no effect. */
const nowhere = '203.0.113.0/24';

/** Sets what servers of `local` can reach, and waits until the rules are in force. */
export async function allow(
  change: Pick<LocationUpdate, 'allowed_destinations' | 'smtp'>,
): Promise<void> {
  const { status, body } = await call<Location>('PATCH', '/v1/locations/1', change);
  assert.equal(status, 200, JSON.stringify(body));
  await untilApplied();
}

async function untilApplied(): Promise<void> {
  await until(
    'the network has the rules of its policy',
    async () => (await call<Location>('GET', '/v1/locations/1')).body.network_policy,
    ({ status }) => status === 'applied',
    roundsSeconds,
  );
}

/** Triggers the reconciler of the network, as a change of the allowed destinations does. */
export async function askForRound(): Promise<void> {
  await allow({ allowed_destinations: [nowhere] });
  await allow({ allowed_destinations: [] });
}

const probeSeconds = 4;

/** Returns the destinations, as `ADDRESS PORT`, to which a server can open a TCP connection. */
export async function reached(server: string, places: readonly string[]): Promise<string[]> {
  const probes = places.map((place) => {
    const connect = `exec 3<>/dev/tcp/${place.replace(' ', '/')}`;
    return `(timeout ${probeSeconds} bash -c '${connect}' 2>/dev/null && echo '${place}') &`;
  });
  const printed = await ssh(server, `${probes.join('\n')}\nwait`);
  const seen = new Set(printed.split('\n'));
  return places.filter((place) => seen.has(place));
}

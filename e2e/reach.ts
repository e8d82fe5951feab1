import assert from 'node:assert/strict';
import type { Location, LocationUpdate } from '@berth/contract/locations';
import { call, until } from './api.ts';
import { ssh } from './ssh.ts';

/** Two rounds of the reconciler, on a machine that is busy. */
export const roundsSeconds = 150;

/** Sets what servers of `local` may reach, and waits until its network goes by it. */
export async function allow(
  change: Pick<LocationUpdate, 'allowed_destinations' | 'smtp'>,
): Promise<void> {
  const { status, body } = await call<Location>('PATCH', '/v1/locations/1', change);
  assert.equal(status, 200, JSON.stringify(body));
  await untilApplied();
}

export async function untilApplied(): Promise<void> {
  await until('the network goes by its policy', roundsSeconds, async () => {
    const { body } = await call<Location>('GET', '/v1/locations/1');
    return body.network_policy.status === 'applied';
  });
}

const probeSeconds = 4;

/** Which of several places, `ADDRESS PORT` each, a server gets a TCP connection to. */
export async function reached(server: string, places: readonly string[]): Promise<string[]> {
  const probes = places.map((place) => {
    const connect = `exec 3<>/dev/tcp/${place.replace(' ', '/')}`;
    return `(timeout ${probeSeconds} bash -c '${connect}' 2>/dev/null && echo '${place}') &`;
  });
  const printed = await ssh(server, `${probes.join('\n')}\nwait`);
  const seen = new Set(printed.split('\n'));
  return places.filter((place) => seen.has(place));
}

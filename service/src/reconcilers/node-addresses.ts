import { isIP } from 'node:net';
import type { IncusClient } from '../incus/client.ts';
import type { CallOptions } from '../incus/transport/api.ts';
import { EngineError, isEngineError } from '../incus/transport/errors.ts';
import { nodesOnline, setNodeAddresses } from '../network-policy/queries.ts';
import type { NodeSubject } from './nodes.ts';

/** The timeout of one call, because a member without a connection does not respond at all. */
const answerSeconds = 5;

type AddressSubject = Pick<NodeSubject, 'db' | 'client' | 'locationId' | 'signal' | 'report'>;

/**
 * Records the addresses of the hosts. If a host does not report all of them, its known addresses are kept.
 */
export async function syncNodeAddresses(subject: AddressSubject): Promise<void> {
  const { db, client, locationId, report, signal } = subject;
  for (const { name, member } of await nodesOnline(db, locationId)) {
    try {
      const addresses = await hostAddresses(client, member ?? undefined, signal);
      await setNodeAddresses(db, locationId, name, addresses);
    } catch (error) {
      if (signal.aborted || !(error instanceof EngineError)) throw error;
      report(error);
    }
  }
}

/**
 * Reads the addresses on which the host listens, and those of all its interfaces. Incus may listen on only one of them,
 * or on none. Throws if an interface can't be read.
 */
async function hostAddresses(
  client: IncusClient,
  member: string | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  const options = { signal, timeoutSeconds: answerSeconds, member };
  const { environment } = await client.server.info(member, options);
  const found = new Set(environment.addresses?.map(withoutPort));
  for (const { name } of await client.networks.list(options)) {
    for (const address of await addressesOn(client, name, options)) found.add(address);
  }
  return [...found].filter((address) => isIP(address) !== 0).sort();
}

/**
 * Reads the addresses of an interface. Returns none if the interface has disappeared since it was listed, which is
 * common for those of guests.
 */
async function addressesOn(
  { networks }: IncusClient,
  name: string,
  options: CallOptions & { signal: AbortSignal },
): Promise<Set<string>> {
  try {
    const state = await networks.getState(name, options.member, options);
    const global = state?.addresses?.filter(({ scope }) => scope === 'global');
    return new Set(global?.map(({ address }) => address));
  } catch (error) {
    if (options.signal.aborted || !isEngineError(error, 'failed')) throw error;
    // Incus returns this error if an interface disappears while it is read.
    const listed = await networks.list(options);
    if (listed.some((one) => one.name === name)) throw error;
    return new Set();
  }
}

/** Removes the port from an address in the format of Incus: `10.0.0.1:8443` or `[fd00::1]:8443`. */
const withoutPort = (address: string) => address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');

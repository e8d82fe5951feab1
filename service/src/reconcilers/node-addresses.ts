import { isIP } from 'node:net';
import type { CallOptions } from '../incus/api.ts';
import type { IncusClient } from '../incus/client.ts';
import { EngineError, isEngineError } from '../incus/errors.ts';
import { nodesOnline, setNodeAddresses } from '../network-policy/queries.ts';
import type { NodeSubject } from './nodes.ts';

/** For one call: a member that is cut off says nothing at all. */
const answerSeconds = 5;

type AddressSubject = Pick<NodeSubject, 'db' | 'client' | 'locationId' | 'signal' | 'report'>;

/** Enters which addresses the hosts have. Of one that does not tell, what was known stays. */
export async function enterNodeAddresses(subject: AddressSubject): Promise<void> {
  const { db, client, locationId, report, signal } = subject;
  for (const { name, member } of await nodesOnline(db, locationId)) {
    try {
      const addresses = await hostAddresses(client, member ?? undefined, { signal, report });
      await setNodeAddresses(db, locationId, name, addresses);
    } catch (error) {
      if (signal.aborted || !(error instanceof EngineError)) throw error;
      report(error);
    }
  }
}

/**
 * Where it listens itself, and those of each of its interfaces: one that Incus listens at alone is not
 * all that it has, and where Incus listens nowhere it tells none.
 */
async function hostAddresses(
  { server, networks }: IncusClient,
  member: string | undefined,
  { signal, report }: Pick<AddressSubject, 'signal' | 'report'>,
): Promise<string[]> {
  const options: CallOptions = { signal, timeoutSeconds: answerSeconds, member };
  const { environment } = await server.info(member, options);
  const found = new Set((environment.addresses ?? []).map(withoutPort));
  for (const { name } of await networks.list(options)) {
    try {
      const state = await networks.getState(name, member, options);
      for (const { address, scope } of state?.addresses ?? []) {
        if (scope === 'global') found.add(address);
      }
    } catch (error) {
      if (signal.aborted || isEngineError(error, 'unreachable', 'timeout')) throw error;
      report(error);
    }
  }
  return [...found].filter((address) => isIP(address) !== 0).sort();
}

/** `10.0.0.1:8443` and `[fd00::1]:8443`, as Incus writes them. */
const withoutPort = (address: string) => address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');

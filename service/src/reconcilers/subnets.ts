import { subnetsOf } from '../locations/network.ts';
import type { LocationRow } from '../locations/queries.ts';
import { setNetworkSubnets } from '../locations/queries.ts';
import type { Subject } from './truth.ts';

/**
 * Records the subnets of the network of a location. Incus has none for a bridge that it does not manage.
 */
export async function syncSubnets(
  { db, client, locationId, signal }: Subject,
  { network, network_kind }: Pick<LocationRow, 'network' | 'network_kind'>,
): Promise<void> {
  if (network_kind === 'unmanaged') return;
  const found = await client.networks.get(network, undefined, { signal });
  if (!found) return;
  const subnets = subnetsOf(found).map(({ cidr }) => cidr);
  await setNetworkSubnets(db, locationId, subnets);
}

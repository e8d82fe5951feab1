import { isIP } from 'node:net';
import { enterUnknownInstances, withoutServer } from '../address-pools/unknown-queries.ts';
import type { Instance } from '../incus/instances.ts';
import { labelsOf, serverUuid } from '../instances/labels.ts';
import { isProbe } from './traffic-limits.ts';
import type { Subject } from './truth.ts';

/**
 * Enters which instances of a location are of no server, and reserves their addresses, as part of each
 * sweep: after a restore of the database there may be many, and an address that one of them holds would be
 * given to a new server, which Incus then refuses to start.
 */
export async function enterUnknown(
  { db, locationId }: Pick<Subject, 'db' | 'locationId'>,
  installationId: string,
  instances: Instance[],
): Promise<void> {
  const named = instances
    .filter(({ name }) => !isProbe(name))
    // One that was renamed by hand is still of the server that its label names.
    .map((instance) => ({ instance, uuid: uuidOf(instance) }));
  const strange = await withoutServer(
    db,
    named.flatMap(({ uuid }) => uuid ?? []),
  );
  const unknown = named
    .filter(({ uuid }) => uuid === undefined || strange.has(uuid))
    .map(({ instance }) => ({
      name: instance.name,
      isOurs: labelsOf(instance).installation === installationId,
      addresses: addressesOf(instance),
    }));
  await db.transaction().execute((trx) => enterUnknownInstances(trx, locationId, unknown));
}

const uuidOf = (instance: Instance) => serverUuid(instance.name) ?? labelsOf(instance).server;

/**
 * Those that its cards are fixed to, and that its system was told to use: on a VLAN Incus takes none for a
 * card. Null where its node does not tell.
 */
function addressesOf({ config, devices, status }: Instance): string[] | null {
  if (status === 'Error' && Object.keys(devices).length === 0) return null;
  const ofCards = Object.values(devices).flatMap((device) => [
    device['ipv4.address'],
    device['ipv6.address'],
  ]);
  const ofSystem = config['cloud-init.network-config']?.matchAll(/"([0-9a-fA-F.:]+)\/\d+"/g) ?? [];
  const all = [...ofCards, ...[...ofSystem].map(([, address]) => address)];
  return [...new Set(all.filter((one): one is string => one !== undefined && isIP(one) !== 0))];
}

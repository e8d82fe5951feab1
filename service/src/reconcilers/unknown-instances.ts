import { isIP } from 'node:net';
import { enterUnknownInstances, withoutServer } from '../address-pools/unknown-queries.ts';
import type { Instance } from '../incus/instances.ts';
import { isHelperAtWork } from '../instances/helpers.ts';
import { labelsOf, serverUuid } from '../instances/labels.ts';
import type { Subject } from './truth.ts';

/**
 * Records the instances of a location that belong to no server, and reserves their addresses, as
 * part of each sync. After a restore of the database there may be many. Without this, a new server
 * could get an address that one of them has, and Incus would refuse to start it.
 */
export async function syncUnknownInstances(
  { db, locationId }: Pick<Subject, 'db' | 'locationId'>,
  installationId: string,
  instances: Instance[],
): Promise<void> {
  const named = instances
    .filter((instance) => !isHelperAtWork(instance))
    // An instance that was renamed by hand still belongs to the server in its label.
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
 * The addresses that its NICs are restricted to, and those that its system was configured with: on
 * a VLAN, Incus restricts NICs to none. Null if its node does not answer.
 */
function addressesOf({ config, devices, status }: Instance): string[] | null {
  if (status === 'Error' && Object.keys(devices).length === 0) return null;
  const fixedAddresses = Object.values(devices).flatMap((device) => [
    device['ipv4.address'],
    device['ipv6.address'],
  ]);
  const ofSystem = config['cloud-init.network-config']?.matchAll(/"([0-9a-fA-F.:]+)\/\d+"/g) ?? [];
  const all = [...fixedAddresses, ...[...ofSystem].map(([, address]) => address)];
  return [...new Set(all.filter((one): one is string => one !== undefined && isIP(one) !== 0))];
}

import { isIP } from 'node:net';
import type { Logger } from 'pino';
import {
  enterUnknownInstances,
  type UnknownInstance,
  withoutServer,
} from '../address-pools/unknown-queries.ts';
import type { Instance } from '../incus/instances.ts';
import { isHelperAtWork } from '../instances/helpers.ts';
import { labelsOf, serverUuid } from '../instances/labels.ts';
import { serversOf } from '../servers/truth-queries.ts';
import type { Subject } from './truth.ts';

interface Looked extends Pick<Subject, 'db' | 'locationId' | 'found'> {
  location: { name: string };
  log: Logger;
}

/**
 * Records the instances of a location that belong to no server, and reserves their addresses, as
 * part of each sync. After a restore of the database there may be many. Without this, a new server
 * could get an address that one of them has, and Incus would refuse to start it. An instance is logged
 * when it is new, and when it is gone: the records say which, also after a restart, or to another service.
 */
export async function syncUnknownInstances(
  looked: Looked,
  installationId: string,
  instances: Instance[],
): Promise<void> {
  const { db, locationId } = looked;
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
    .map(({ instance, uuid }) => ({
      name: instance.name,
      isOurs: labelsOf(instance).installation === installationId,
      addresses: addressesOf(instance),
      uuid,
    }));
  const { found, gone } = await db
    .transaction()
    .execute((trx) => enterUnknownInstances(trx, locationId, unknown));
  const isNew = new Set(found);
  const added = unknown.filter(({ name }) => isNew.has(name));
  await report(looked, {
    added,
    gone: gone.map((one) => ({ ...one, uuid: serverUuid(one.name) })),
  });
}

type Named = Pick<UnknownInstance, 'name' | 'isOurs'> & { uuid: string | undefined };

/** Those of deleted servers are about to be removed, and not reported. Those of others are only noted. */
async function report(
  { db, found, location, log }: Looked,
  { added, gone }: { added: Named[]; gone: Named[] },
): Promise<void> {
  if (added.length + gone.length === 0) return;
  const uuids = [...added, ...gone].flatMap(({ uuid }) => uuid ?? []);
  const recorded = await serversOf(db, uuids);
  const isOfNone = ({ uuid }: Named) => !uuid || !recorded.has(uuid);
  const tell = ({ name, isOurs }: Named, words: string) =>
    log[isOurs ? 'warn' : 'info']({ location: location.name, instance: name }, words);
  for (const one of added.filter(isOfNone)) {
    if (one.isOurs) found?.('instance_unknown', 1);
    tell(one, 'An instance belongs to no server. Its addresses are reserved; it was not changed.');
  }
  for (const one of gone.filter(isOfNone))
    tell(one, 'An instance that belonged to no server is gone.');
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
  const ofSystem = (config['cloud-init.network-config'] ?? '').matchAll(/"([0-9a-fA-F.:]+)\/\d+"/g);
  const all = [...fixedAddresses, ...[...ofSystem].map(([, address]) => address)];
  return [...new Set(all.filter((one): one is string => isIP(one ?? '') !== 0))];
}

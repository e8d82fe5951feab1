import type { IncusClient } from '../../incus/client.ts';
import type { Instance, Replaced } from '../../incus/instances.ts';
import { instanceName, labelsOf, nicDevice, serverLabel } from '../../instances/labels.ts';
import { bytesOf } from '../../pool-quotas/disk-size.ts';
import { awaitOperation } from './engine.ts';
import { type Defined, instanceDevices, lastingConfig } from './instance.ts';

const replaceSeconds = 120;

/** The instances of a server that are called otherwise, since somebody has renamed or copied its instance. */
export async function calledOtherwise(
  incus: IncusClient,
  uuid: string,
  { signal }: { signal: AbortSignal },
): Promise<Instance[]> {
  const labelled = await incus.instances.listWith(serverLabel, uuid, { signal });
  return labelled.filter((one) => labelsOf(one).server === uuid && one.name !== instanceName(uuid));
}

/** Gives an instance the configuration and the devices that the records say, and no others. */
export async function putBack(
  incus: IncusClient,
  server: Defined,
  installationId: string,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const name = instanceName(server.uuid);
  const wanted = (found: Instance) => definedAs(server, found, installationId);
  const call = incus.instances.replace(name, wanted, { signal });
  await awaitOperation(incus, call, { signal, timeoutSeconds: replaceSeconds });
}

/** Keeps what Berth does not decide: other keys, and limits of its traffic and of its disk. */
export function definedAs(
  server: Defined,
  { config, devices }: Pick<Instance, 'config' | 'devices'>,
  installationId: string,
): Replaced {
  const { root = {}, [nicDevice]: nic = {} } = instanceDevices(server);
  return {
    config: { ...config, ...lastingConfig(server, installationId) },
    devices: {
      root: rootWithin(root, devices.root ?? {}),
      [nicDevice]: { ...othersOf(nic, devices[nicDevice] ?? {}), ...nic },
    },
    ephemeral: false,
    profiles: [],
  };
}

/** Incus does not move a disk to another pool in this way, and a smaller one might not hold its data. */
function rootWithin(wanted: Record<string, string>, found: Record<string, string>) {
  const isLarger = (bytesOf(found.size ?? '') ?? 0) > (bytesOf(wanted.size ?? '') ?? 0);
  return {
    ...found,
    ...wanted,
    ...(found.pool && { pool: found.pool }),
    ...(isLarger && found.size && { size: found.size }),
  };
}

/** What says to which network a NIC belongs. One that is not wanted would contradict the wanted ones. */
const placing = ['network', 'nictype', 'parent', 'vlan'];

/** The keys of a NIC that are to stay, such as its limits. */
function othersOf(wanted: Record<string, string>, found: Record<string, string>) {
  return Object.fromEntries(
    Object.entries(found).filter(([key]) => !placing.includes(key) || key in wanted),
  );
}

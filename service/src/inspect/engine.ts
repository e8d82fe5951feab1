import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { isUnderWay, operationInstances } from '../incus/operations.ts';
import { EngineError, isEngineError } from '../incus/transport/errors.ts';
import { hasOwnPolicy, isConfined, runsUnconfined } from '../instances/confinement.ts';
import { instanceName, serverUuid } from '../instances/labels.ts';
import { canAsRoot } from '../pool-quotas/as-root.ts';
import type { QuotaGuard } from '../pool-quotas/quota-guard.ts';
import { type Disks, subvolumeLister } from '../servers/engine/subvolumes.ts';

/** What the engine shows of one server, as pairs of a label and a value. */
export async function engineView(
  client: IncusClient,
  server: { uuid: string; disks: Disks },
  findGuard: () => Promise<QuotaGuard | undefined>,
): Promise<[string, string][]> {
  return await unlessUnreachable(() =>
    ask(client, instanceName(server.uuid), server.disks, findGuard),
  );
}

/** What the engine shows of all servers of a location, as pairs of a label and a value. */
export async function engineFacts(client: IncusClient): Promise<[string, string][]> {
  return await unlessUnreachable(async () => {
    const instances = await client.instances.list();
    const free = instances.filter(
      (seen) => serverUuid(seen.name) && seen.status !== 'Error' && runsUnconfined(seen),
    );
    const names = free.map(({ name }) => name).join(', ');
    const how = 'their guests can write beyond the quotas of their disks until they are restarted';
    return [['unconfined', free.length === 0 ? 'none' : `${names}: ${how}`]];
  });
}

async function unlessUnreachable(look: () => Promise<[string, string][]>) {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const where = error.where ? ` (${error.where})` : '';
    return [['engine', `unreachable: ${error.message}${where}`]] satisfies [string, string][];
  }
}

async function ask(
  client: IncusClient,
  name: string,
  disks: Disks,
  findGuard: () => Promise<QuotaGuard | undefined>,
): Promise<[string, string][]> {
  const pool = disks.storage_pool;
  const guard = await findGuard();
  const [instance, state, volumes, operations] = await Promise.all([
    client.instances.get(name),
    client.instances.getState(name).catch(unlessLong),
    client.storage.listVolumes(pool),
    client.operations.list(),
  ]);
  const volume = volumes.find((v) => v.name === name);
  const underWay = operations.filter((o) => isUnderWay(o) && operationInstances(o).includes(name));
  const addresses = Object.values(state?.network ?? {}).flatMap((nic) => nic.addresses);
  const reachable = addresses.filter(({ scope }) => scope === 'global');
  return [
    ['instance', instance ? `${name}: ${instance.status}` : `${name}: none`],
    ['member', memberOf(instance)],
    ['confined', instance ? confinementOf(instance) : '-'],
    ['subvolumes', instance ? await subvolumesOf(client, disks, instance) : '-'],
    ['processes', String(state?.processes ?? '-')],
    ['addresses', reachable.map(({ address }) => address).join(', ') || '-'],
    ['volume', volume ? `${volume.type} in ${pool}` : 'none'],
    ['disk limit', guard && instance ? await diskLimit(guard, instance) : '-'],
    ['Incus operations', underWay.map((o) => `${o.description} (${o.id})`).join(', ') || 'none'],
  ];
}

/** Incus that is not in a cluster calls its only member "none". */
function memberOf(instance: Instance | null | undefined): string {
  const member = instance?.location ?? '-';
  return member === 'none' ? '- (not in a cluster)' : member;
}

/** The quota mode of a btrfs pool of this machine, and the limit that is in force. */
async function diskLimit(guard: QuotaGuard, instance: Instance): Promise<string> {
  const mode = guard.mode();
  if (mode === 'none') return 'none: quotas are off in its pool';
  const how = guard.isInconsistent() ? `${mode} quotas, which have lost count` : `${mode} quotas`;
  if (!canAsRoot()) return `${how}; root is shown the limit`;
  const found = await guard.limitOf(instance);
  if (!found) return `${how}; none of it here`;
  const { limit, size, charged } = found;
  const inForce = limit === null ? 'no limit' : `a limit of ${bytes(limit)}`;
  return `${how}; ${inForce}, promised ${bytes(size)}, charged ${bytes(charged)}`;
}

const bytes = (count: number) => `${(count / 2 ** 20).toFixed(1)} MiB`;

/** A guest may have so many interfaces that its state can't be read. */
function unlessLong(error: unknown): null {
  if (isEngineError(error, 'invalid')) return null;
  throw error;
}

/** Whether its guest can create subvolumes, which the quota of its disk does not include. */
function confinementOf(instance: Instance): string {
  if (isConfined(instance)) return 'yes';
  const how = hasOwnPolicy(instance.config)
    ? "an administrator's raw.seccomp or security.syscalls.allow takes its place"
    : 'it will be confined when it is next started';
  return `no, its guest can write beyond the quota of its disk; ${how}`;
}

const shownSubvolumes = 10;

/** Subvolumes that the guest created before it was confined, and that stay. */
async function subvolumesOf(
  client: IncusClient,
  disks: Disks,
  { name, type }: Instance,
): Promise<string> {
  if (type !== 'container') return '-';
  const pool = await client.storage.getPool(disks.storage_pool);
  const list = subvolumeLister(disks, pool?.driver);
  try {
    const found = await list?.(name);
    if (!found) return "not known: its disk is not in a btrfs pool of this machine's Incus";
    return found.length === 0 ? 'none' : wayOutOf(found);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `not known: ${error.message.trim().replace(/\s+/g, ' ')} (only root can list them)`;
  }
}

/** The guest chose these names, so they are quoted before they are printed in a terminal. */
function wayOutOf(found: string[]): string {
  const names = found.slice(0, shownSubvolumes).map((path) => JSON.stringify(path));
  const more = found.length > shownSubvolumes ? ', …' : '';
  return (
    `${found.length}, which the quota of its disk does not include, whether it is confined or not: ${names.join(', ')}${more}. ` +
    'The owner can move their contents to ordinary directories and remove them with "rm -r", or rebuild the server. If ' +
    'the owner agrees, "btrfs subvolume delete" on the machine removes them with their contents.'
  );
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/connection.ts';
import { databaseTime } from '../db/queries.ts';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { isEngineError, isRefusal } from '../incus/transport/errors.ts';
import { longestSeconds } from '../incus/transport/patience.ts';
import { instanceName, serverUuid } from '../instances/labels.ts';
import { recordComparison, recordUnreachable } from '../nodes/seen-queries.ts';
import { hasGot, sizeHeld } from '../servers/engine/size.ts';
import { engineStatus } from '../servers/truth.ts';
import {
  applyObservedMembers,
  applyObservedSize,
  applyObservedStatuses,
  type ObservedStatus,
  serversWithInstance,
  unsettledServers,
} from '../servers/truth-queries.ts';
import { each } from '../usage/collect/each.ts';

/** The time between the two readings in which an instance must be missing to count as gone. */
const confirmAfterMilliseconds = 1500;
/**
 * The timeout for listing all instances. Incus calls each member, and waits for a disconnected one until its heartbeat
 * is 20 s old. The other members should not count as unreachable in the meantime.
 */
const listSeconds = 30;

/** The kinds of drift that a sync can find. */
export const findings = [
  'status_changed',
  'instance_vanished',
  'member_silent',
  'orphan_removed',
  'orphan_stays',
  'instance_unknown',
  'drift',
] as const;
export type Finding = (typeof findings)[number];

export interface Subject {
  db: Db;
  client: IncusClient;
  locationId: number;
  signal: AbortSignal;
  /** Receives the number of findings of a kind. */
  found?: ((finding: Finding, count: number) => void) | undefined;
}

/** Syncs one instance with its server. A missing instance is looked up twice. */
export async function syncInstance(subject: Subject, name: string): Promise<void> {
  const uuid = serverUuid(name);
  if (!uuid) return;
  const { client, db, locationId, signal } = subject;
  const readAt = await databaseTime(db);
  const instance = await client.instances.get(name, { signal });
  if (!instance) return await confirmAbsent(subject, (one) => one === uuid);
  await settleSizes(subject, readAt, [instance]);
  await applyObservedMembers(db, locationId, readAt, [{ uuid, member: instance.location }]);
  await applyStatuses(subject, readAt, observedStatuses([instance]));
}

/**
 * Records the sizes of servers whose resize has ended without doing so. This comes before their nodes: a size is reserved
 * on the node to which a server was to move.
 */
async function settleSizes(
  { db, locationId }: Subject,
  readAt: string,
  instances: Instance[],
): Promise<void> {
  for (const { id, uuid, ...sizes } of await unsettledServers(db, locationId, readAt)) {
    const found = instances.find(({ name }) => name === instanceName(uuid));
    // A member that does not answer shows no devices.
    if (!found?.devices.root) continue;
    const size = sizeHeld(found, sizes);
    await applyObservedSize(db, readAt, { id, size, isResized: hasGot(size, sizes) });
  }
}

/** Writes the observed statuses, and reports the number of changed servers. */
async function applyStatuses(
  { db, found }: Subject,
  readAt: string,
  seen: ObservedStatus[],
  as: Finding = 'status_changed',
) {
  const changed = await applyObservedStatuses(db, readAt, seen);
  found?.(as, changed.length);
}

/** Syncs all servers of a location with its instances. Returns the instances. */
export async function syncAllInstances(subject: Subject): Promise<Instance[]> {
  const { db, client, locationId, signal } = subject;
  const readAt = await databaseTime(db);
  const instances = await client.instances.list({ signal, timeoutSeconds: listSeconds });
  const members = instances.flatMap(({ name, location: member }) => {
    const uuid = serverUuid(name);
    return uuid ? [{ uuid, member }] : [];
  });
  await settleSizes(subject, readAt, instances);
  await applyObservedMembers(db, locationId, readAt, members);
  const broken = instances.filter(({ status }) => status === 'Error');
  const others = instances.filter(({ status }) => status !== 'Error');
  // These are written first, so that they need not wait for a slow member.
  await applyStatuses(subject, readAt, observedStatuses(others));
  const { silent, refusing, own } = await probeBroken(subject, broken);
  // The members are recorded one after another, as in `applyObservedMembers`. A silent member may only be slow, which
  // `members.ts` decides.
  for (const member of refusing) await recordUnreachable(db, locationId, member, readAt);
  subject.found?.('member_silent', silent.size);
  const heard = broken.filter(({ location }) => !silent.has(location));
  const asTheySay = ({ name, status }: Instance) => ({ name, status: own.get(name) ?? status });
  await applyStatuses(subject, readAt, observedStatuses(heard.map(asTheySay)));
  await recordComparison(db, locationId, readAt, silent);
  const names = new Set(instances.map(({ name }) => name));
  await confirmAbsent(subject, (uuid) => !names.has(instanceName(uuid)));
  return instances;
}

function observedStatuses(instances: Pick<Instance, 'name' | 'status'>[]): ObservedStatus[] {
  return instances.flatMap(({ name, status }) => {
    const uuid = serverUuid(name);
    const known = engineStatus(status);
    return uuid && known ? [{ uuid, status: known }] : [];
  });
}

/**
 * Reads each instance separately that Incus lists with the status `Error`. Incus lists all instances of an unreachable
 * member like this, regardless of their state, and for up to 10 s after the member is back, until its heartbeat.
 * Returns the members that do not respond, those that refuse, and the statuses that the others report.
 */
async function probeBroken({ client, signal }: Subject, broken: Instance[]) {
  const silent = new Set<string>();
  const refusing = new Set<string>();
  const own = new Map<string, string>();
  const askMember = async ([member, instances]: [string, Instance[]]) => {
    const options = { signal, timeoutSeconds: longestSeconds, member };
    try {
      for (const { name } of instances) {
        const found = await client.instances.get(name, options);
        if (found) own.set(name, found.status);
      }
    } catch (error) {
      if (!isEngineError(error, 'unreachable', 'timeout')) throw error;
      silent.add(member);
      if (isRefusal(error)) refusing.add(member);
    }
  };
  const ours = broken.filter(({ name }) => serverUuid(name));
  await Promise.all([...Map.groupBy(ours, ({ location }) => location)].map(askMember));
  return { silent, refusing, own };
}

/**
 * Looks up each missing instance again before it counts as gone, eight at a time. A failed lookup does not affect the
 * others.
 */
async function confirmAbsent(
  subject: Subject,
  isMissing: (uuid: string) => boolean,
): Promise<void> {
  const { db, client, locationId, signal } = subject;
  const servers = await serversWithInstance(db, locationId);
  const missing = servers.map(({ uuid }) => uuid).filter(isMissing);
  if (missing.length === 0) return;
  await sleep(confirmAfterMilliseconds, undefined, { signal });
  const readAt = await databaseTime(db);
  const gone: ObservedStatus[] = [];
  const [error] = await each(missing, async (uuid) => {
    const found = await client.instances.get(instanceName(uuid), { signal });
    if (found === null) gone.push({ uuid, status: 'not_exists' });
  });
  await applyStatuses(subject, readAt, gone, 'instance_vanished');
  if (error) throw error;
}

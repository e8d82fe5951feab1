import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/connection.ts';
import { databaseTime } from '../db/queries.ts';
import type { IncusClient } from '../incus/client.ts';
import type { Instance } from '../incus/instances.ts';
import { isEngineError, isRefusal } from '../incus/transport/errors.ts';
import { longestSeconds } from '../incus/transport/patience.ts';
import { instanceName, serverUuid } from '../instances/labels.ts';
import { noteComparison, setSilent } from '../nodes/seen-queries.ts';
import { engineStatus } from '../servers/truth.ts';
import {
  enterMembers,
  enterSightings,
  type Sighting,
  serversWithInstance,
} from '../servers/truth-queries.ts';

/** Between two readings that must agree before an instance counts as gone. */
const secondReadingMilliseconds = 1500;
/**
 * For all instances. Incus asks each member for its own, and waits for one that is cut off until its
 * heartbeat is 20 s old; the others are not to count as away for that.
 */
const listSeconds = 30;

/** What a look or a comparison can find to be otherwise than the records say. */
export const findings = [
  'status_changed',
  'instance_vanished',
  'member_silent',
  'orphan_removed',
  'orphan_stays',
  'instance_unknown',
] as const;
export type Finding = (typeof findings)[number];

export interface Subject {
  db: Db;
  client: IncusClient;
  locationId: number;
  signal: AbortSignal;
  /** Told how many there were. */
  found?: ((finding: Finding, count: number) => void) | undefined;
}

/** Looks at one instance and enters what it is. An absence is looked at twice. */
export async function lookAtInstance(subject: Subject, name: string): Promise<void> {
  const uuid = serverUuid(name);
  if (!uuid) return;
  const { client, db, locationId, signal } = subject;
  const readAt = await databaseTime(db);
  const instance = await client.instances.get(name, { signal });
  if (!instance) return await confirmAbsent(subject, [uuid]);
  await enterMembers(db, locationId, readAt, [{ uuid, member: instance.location }]);
  const status = engineStatus(instance.status);
  if (status) await enter(subject, readAt, [{ uuid, status }]);
}

/** Enters what was seen, and tells of what that changed. */
async function enter(
  { db, found }: Subject,
  readAt: string,
  seen: Sighting[],
  as: Finding = 'status_changed',
) {
  const changed = await enterSightings(db, readAt, seen);
  found?.(as, changed.length);
}

async function isAbsent({ client, signal }: Subject, name: string): Promise<boolean> {
  return (await client.instances.get(name, { signal })) === null;
}

/** Compares all servers of a location with all its instances, which it answers. */
export async function sweepLocation(subject: Subject): Promise<Instance[]> {
  const { db, client, locationId, signal } = subject;
  const readAt = await databaseTime(db);
  const instances = await client.instances.list({ signal, timeoutSeconds: listSeconds });
  const members = instances.flatMap(({ name, location: member }) => {
    const uuid = serverUuid(name);
    return uuid ? [{ uuid, member }] : [];
  });
  await enterMembers(db, locationId, readAt, members);
  const broken = instances.filter(({ status }) => status === 'Error');
  const others = instances.filter(({ status }) => status !== 'Error');
  // Not after a member that is slow to say how its own are.
  await enter(subject, readAt, sightingsOf(others));
  const { silent, refusing, own } = await askBroken(subject, broken);
  // One by one, as in enterMembers. One that says nothing may only be slow: see members.ts.
  for (const member of refusing) await setSilent(db, locationId, member, readAt);
  subject.found?.('member_silent', silent.size);
  const heard = broken.filter(({ location }) => !silent.has(location));
  const asTheySay = ({ name, status }: Instance) => ({ name, status: own.get(name) ?? status });
  await enter(subject, readAt, sightingsOf(heard.map(asTheySay)));
  await noteComparison(db, locationId, readAt, silent);
  const names = new Set(instances.map(({ name }) => name));
  const servers = await serversWithInstance(db, locationId);
  const missing = servers.map((s) => s.uuid).filter((uuid) => !names.has(instanceName(uuid)));
  await confirmAbsent(subject, missing);
  return instances;
}

function sightingsOf(instances: Pick<Instance, 'name' | 'status'>[]): Sighting[] {
  return instances.flatMap(({ name, status }) => {
    const uuid = serverUuid(name);
    const known = engineStatus(status);
    return uuid && known ? [{ uuid, status: known }] : [];
  });
}

/**
 * Instances of members that can't be asked are listed as broken, though nobody knows how they are; and
 * for up to 10 s after such a member has come back, until its heartbeat. So each is asked itself: which
 * members are silent, which of them refuse, and what the others say their instances' own status is.
 */
async function askBroken({ client, signal }: Subject, broken: Instance[]) {
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

/** Looks at each again before it counts as gone; one that can't be looked at keeps no other waiting. */
async function confirmAbsent(subject: Subject, uuids: string[]): Promise<void> {
  if (uuids.length === 0) return;
  const { db, locationId, signal } = subject;
  const expected = new Set((await serversWithInstance(db, locationId)).map(({ uuid }) => uuid));
  const ours = uuids.filter((uuid) => expected.has(uuid));
  if (ours.length === 0) return;
  await sleep(secondReadingMilliseconds, undefined, { signal });
  const readAt = await databaseTime(db);
  const looks = await Promise.allSettled(ours.map((uuid) => isAbsent(subject, instanceName(uuid))));
  const gone = ours.filter(
    (_, index) => looks[index]?.status === 'fulfilled' && looks[index].value,
  );
  await enter(
    subject,
    readAt,
    gone.map((uuid) => ({ uuid, status: 'not_exists' })),
    'instance_vanished',
  );
  const failed = looks.find((look) => look.status === 'rejected');
  if (failed) throw failed.reason;
}

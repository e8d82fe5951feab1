import { databaseTime } from '../db/queries.ts';
import type { CallOptions } from '../incus/transport/api.ts';
import { EngineError, isAway, isRefusal } from '../incus/transport/errors.ts';
import type { ClusterMember } from '../incus/transport/server.ts';
import { applyObservedNodes, type NodeFacts, nodesWithStatus } from '../nodes/seen-queries.ts';
import type { Subject } from './truth.ts';

/** The timeout for reading the resources of a member, because one without a connection does not respond at all. */
const answerSeconds = 5;
const megabyte = 1024 ** 2;
const gigabyte = 1024 ** 3;

export interface NodeSubject extends Subject {
  /** The storage pool of the location. */
  pool: string;
  /** Reports an error of reading one node, without failing the sync of the others. */
  report(error: unknown): void;
}

/**
 * Records the nodes of a location with their statuses and resources: the members of its cluster, or the only server. A
 * member counts as online if it responds, because Incus lists a dead one as online for 20 s, and as offline if it
 * refuses. The status of one that does not respond is left to `members.ts`. Returns whether any member came back.
 */
export async function syncNodes(subject: NodeSubject): Promise<boolean> {
  const { db, client, locationId, signal } = subject;
  const away = await nodesWithStatus(db, locationId, 'offline');
  const readAt = await databaseTime(db);
  const { environment } = await client.server.info(undefined, { signal });
  const answering = environment.server_name;
  const facts = environment.server_clustered
    ? await Promise.all((await client.server.members({ signal })).map((m) => member(subject, m)))
    : [await single(subject, answering)];
  const seen = { facts, answering, readAt };
  await db.transaction().execute((trx) => applyObservedNodes(trx, locationId, seen));
  const isBack = ({ member, status }: NodeFacts) =>
    status === 'online' && away.some((was) => member !== null && was.member === member);
  return facts.some(isBack);
}

async function single(subject: NodeSubject, name: string): Promise<NodeFacts> {
  const has = await ask(subject, undefined);
  const node = { name, member: null, failureDomain: 'default', evacuated: false };
  return { ...node, status: 'online', ...has };
}

/** The statuses of Incus for a member that is evacuated, or is being evacuated or restored. */
const outOfService = ['Evacuated', 'Evacuating', 'Restoring'];

async function member(subject: NodeSubject, listed: ClusterMember): Promise<NodeFacts> {
  const { server_name: name, status, failure_domain: failureDomain } = listed;
  const asked = async () => {
    // A member that has come back is listed as offline until its heartbeat, for up to 10 s.
    if (status === 'Offline')
      await requireReachable(subject, name, { timeoutSeconds: answerSeconds });
    return await ask(subject, name);
  };
  const node = { name, member: name, evacuated: outOfService.includes(status), failureDomain };
  const nothing = { ...node, machine: null, disk: null };
  if (status === 'Blocked') return { ...nothing, status: 'offline' };
  try {
    return { ...node, status: 'online', ...(await asked()) };
  } catch (error) {
    if (subject.signal.aborted || !isAway(error)) throw error;
    const isGone = isRefusal(error) || error.code === 'not_found';
    return { ...nothing, status: isGone ? 'offline' : null };
  }
}

/**
 * Throws unless a member responds and is connected to its cluster. One that is disconnected from the others may still
 * be reachable from here, but requests to it can't be forwarded.
 */
export async function requireReachable(
  { client, signal }: Subject,
  member: string,
  options: CallOptions,
): Promise<void> {
  await client.server.info(member, { signal, ...options });
  await client.projects.get(client.project, { signal, ...options, member });
}

type Capacity = Pick<NodeFacts, 'machine' | 'disk'>;

/**
 * Reads the resources of a node. Throws only if the basic information can't be read. Reading resources takes longer,
 * and may fail separately.
 */
async function ask(subject: NodeSubject, target: string | undefined): Promise<Capacity> {
  const { client, pool, signal, report } = subject;
  const options = { signal, timeoutSeconds: answerSeconds };
  const nullOnFailure = async <T>(call: Promise<T>): Promise<T | null> => {
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      report(error);
      return null;
    }
  };
  const info = await client.server.info(target, options);
  const [resources, poolResources] = await Promise.all([
    nullOnFailure(client.server.resources(target, options)),
    nullOnFailure(client.storage.poolResources(pool, target, options)),
  ]);
  const machine = resources && {
    cpu: resources.cpu.total,
    ramMb: Math.floor(resources.memory.total / megabyte),
    ramUsedMb: Math.ceil(resources.memory.used / megabyte),
    version: info.environment.server_version,
    kernel: info.environment.kernel_version,
  };
  const space = poolResources?.space;
  const disk = space
    ? { gb: Math.floor(space.total / gigabyte), usedGb: space.used / gigabyte }
    : null;
  return { machine, disk };
}

import { databaseTime } from '../db/queries.ts';
import type { CallOptions } from '../incus/api.ts';
import { EngineError, unlessSilent } from '../incus/errors.ts';
import type { ClusterMember } from '../incus/server.ts';
import { enterNodes, membersThatWere, type NodeFacts } from '../nodes/seen-queries.ts';
import type { Subject } from './truth.ts';

/** For a member to tell what it has: one that is cut off says nothing at all. */
const answerSeconds = 5;
/** For it to say that it is there. */
const pingSeconds = 3;
const megabyte = 1024 ** 2;
const gigabyte = 1024 ** 3;

export interface NodeSubject extends Subject {
  /** The location's storage pool. */
  pool: string;
  /** Of what one node can't tell, and the others are not to wait for. */
  report(error: unknown): void;
}

/**
 * Enters which nodes a location has, how they are and what they have: the members of its cluster, or
 * the one server. A member counts as online if it answers: Incus lists a dead one as online for 20 s.
 * Answers whether any is back that was away.
 */
export async function lookAtNodes(subject: NodeSubject): Promise<boolean> {
  const { db, client, locationId, signal } = subject;
  const away = await membersThatWere(db, locationId, 'offline');
  const readAt = await databaseTime(db);
  const { environment } = await client.server.info(undefined, { signal });
  const answering = environment.server_name;
  const facts = environment.server_clustered
    ? await Promise.all((await client.server.members({ signal })).map((m) => member(subject, m)))
    : [await single(subject, answering)];
  const seen = { facts, answering, readAt };
  await db.transaction().execute((trx) => enterNodes(trx, locationId, seen));
  return facts.some(({ name, status }) => status === 'online' && away.includes(name));
}

async function single(subject: NodeSubject, name: string): Promise<NodeFacts> {
  const has = await ask(subject, undefined);
  const node = { name, member: null, failureDomain: 'default', evacuated: false };
  return { ...node, status: 'online', ...has };
}

/** Words of Incus's for a member that is out of service, or on its way. */
const outOfService = ['Evacuated', 'Evacuating', 'Restoring'];

async function member(subject: NodeSubject, listed: ClusterMember): Promise<NodeFacts> {
  const { server_name: name, status, failure_domain: failureDomain } = listed;
  const asked = async () => {
    // One that has come back is listed as offline until its heartbeat, for up to 10 s.
    if (status === 'Offline') await requireBack(subject, name, { timeoutSeconds: answerSeconds });
    return await ask(subject, name);
  };
  const isAsked = status !== 'Blocked';
  const has = isAsked ? await unlessSilent(asked(), subject.signal) : null;
  return {
    name,
    member: name,
    status: has ? 'online' : 'offline',
    evacuated: outOfService.includes(status),
    failureDomain,
    ...(has ?? { machine: null, disk: null }),
  };
}

/**
 * Whether any member of its cluster that was away answers, or one that was there no longer does: all is
 * to be looked at then. It costs one small call each.
 */
export async function haveMembersChanged(
  subject: Subject,
  since: 'online' | 'offline',
): Promise<boolean> {
  const { client, db, locationId, signal } = subject;
  const options = { signal, timeoutSeconds: pingSeconds };
  const members = await membersThatWere(db, locationId, since);
  const differ = members.map(async (member) => {
    const asked =
      since === 'offline'
        ? requireBack(subject, member, options)
        : client.server.info(member, options);
    const is = (await unlessSilent(asked, signal)) === null ? 'offline' : 'online';
    return is !== since;
  });
  return (await Promise.all(differ)).includes(true);
}

/**
 * Throws unless a member answers, and has its cluster: to one that is cut off from the others nothing is
 * passed on, though we may reach it.
 */
async function requireBack({ client, signal }: Subject, member: string, options: CallOptions) {
  const info = await client.server.info(member, { signal, ...options });
  await client.projects.get(client.project, { signal, ...options, member });
  return info;
}

type Has = Pick<NodeFacts, 'machine' | 'disk'>;

/** Throws only where it does not even say what it is. What it has takes longer, and may be broken. */
async function ask(subject: NodeSubject, target: string | undefined): Promise<Has> {
  const { client, pool, signal, report } = subject;
  const options = { signal, timeoutSeconds: answerSeconds };
  const unlessTroubled = async <T>(call: Promise<T>): Promise<T | null> => {
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
    unlessTroubled(client.server.resources(target, options)),
    unlessTroubled(client.storage.poolResources(pool, target, options)),
  ]);
  const machine = resources && {
    cpu: resources.cpu.total,
    ramMb: Math.floor(resources.memory.total / megabyte),
    ramUsedMb: Math.ceil(resources.memory.used / megabyte),
    version: info.environment.server_version,
  };
  const space = poolResources?.space;
  const disk = space
    ? { gb: Math.floor(space.total / gigabyte), usedGb: space.used / gigabyte }
    : null;
  return { machine, disk };
}

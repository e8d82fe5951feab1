import type { Trx } from '../../db/connection.ts';
import type { DriftRow } from '../../drift/queries.ts';
import {
  type ForeignName,
  foreignAdoptions,
  hasForeign,
  insertDrift,
  lockDriftOf,
  nodesByMember,
  projectsToAdoptFrom,
  removeDrift,
  updateDrift,
} from '../../drift/sweep-queries.ts';
import type { Instance } from '../../incus/instances.ts';
import { EngineError } from '../../incus/transport/errors.ts';
import { isHelperAtWork } from '../../instances/helpers.ts';
import { foreignObstacles, type InstanceFacts } from '../../servers/engine/facts.ts';
import { serversOf } from '../../servers/truth-queries.ts';
import { factsOfAll, hasChanged, type Swept } from './drift.ts';
import { uuidsOf } from './findings.ts';

interface Foreign extends ForeignName {
  member: string;
  facts: InstanceFacts;
}

/** What a sweep has seen of the other projects, and what it could not see. */
interface Seen {
  found: Foreign[];
  /** Of these, what is known stays. */
  unsure: { projects: Set<string>; instances: Set<string> };
}

/**
 * Records the instances of the other Incus projects that administrators want to adopt from, as part of each sweep. They
 * are only read. A project that can't be read does not end the sweep.
 */
export async function syncForeignInstances(
  swept: Swept,
  installationId: string,
  readAt: string,
): Promise<void> {
  const { db, locationId, log, location, signal } = swept;
  const projects = await projectsToAdoptFrom(db, locationId);
  if (projects.length === 0 && !(await hasForeign(db, locationId))) return;
  const seen: Seen = { found: [], unsure: { projects: new Set(), instances: new Set() } };
  for (const project of projects) {
    try {
      await look(swept, { project, installationId }, seen);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      signal.throwIfAborted();
      seen.unsure.projects.add(project);
      const about = { err: error, location: location.name, project };
      log.warn(about, 'The instances of an Incus project to adopt from can not be read.');
    }
  }
  const nodes = await nodesByMember(db, locationId);
  await db.transaction().execute((trx) => record(trx, locationId, seen, { nodes, readAt }));
}

const keyOf = ({ project, instance }: ForeignName) => JSON.stringify([project, instance]);

async function look(
  swept: Swept,
  { project: name, installationId }: { project: string; installationId: string },
  { found, unsure }: Seen,
): Promise<void> {
  const { signal, log, location } = swept;
  const project = await swept.client.projects.get(name, { signal });
  if (!project) {
    const about = { location: location.name, project: name };
    log.warn(about, 'An Incus project to adopt from does not exist.');
    return;
  }
  const client = swept.client.inProject(name);
  const instances = await client.instances.list({ signal });
  const silent = instances.filter(({ status }) => status === 'Error');
  for (const one of silent) unsure.instances.add(keyOf({ project: name, instance: one.name }));
  const others = await withoutServers(swept, instances);
  const facts = await factsOfAll(
    { ...swept, client },
    others.filter(({ status }) => status !== 'Error'),
  );
  for (const instance of others) {
    const own = facts.get(instance.name);
    if (!own) continue;
    const more = foreignObstacles(instance, project, installationId);
    found.push({
      ...{ project: name, instance: instance.name, member: instance.location },
      facts: { ...own, obstacles: [...more, ...own.obstacles] },
    });
  }
}

/** Another location can be in the other project, with its servers and its helpers. */
async function withoutServers({ db }: Swept, instances: Instance[]): Promise<Instance[]> {
  const servers = await serversOf(db, instances.flatMap(uuidsOf));
  const isServer = (uuid: string) => servers.get(uuid)?.isDeleted === false;
  return instances.filter((one) => !isHelperAtWork(one) && !uuidsOf(one).some(isServer));
}

async function record(
  trx: Trx,
  locationId: number,
  { found: all, unsure }: Seen,
  { nodes, readAt }: { nodes: Map<string, number>; readAt: string },
): Promise<void> {
  const rows = new Map(
    (await lockDriftOf(trx, locationId, 'foreign')).map((row) => [keyOfRow(row), row]),
  );
  // Afterwards, so that an adoption which has just ended its row is among them.
  const busy = new Set((await foreignAdoptions(trx, locationId, readAt)).map(keyOf));
  const found = all.filter((one) => !busy.has(keyOf(one)));
  const seen = new Set(found.map(keyOf));
  const isSure = (key: string, { incus_project }: DriftRow) =>
    !unsure.projects.has(incus_project ?? '') && !unsure.instances.has(key);
  const ended = [...rows].filter(([key, row]) => !seen.has(key) && isSure(key, row));
  await removeDrift(
    trx,
    ended.map(([, { id }]) => id),
  );
  for (const one of found) {
    const { facts, instance, member, project: incusProject } = one;
    const row = rows.get(keyOf(one));
    const nodeId = nodes.get(member) ?? null;
    if (row) {
      const now = { nodeId, differences: row.differences, facts };
      if (hasChanged(row, now)) await updateDrift(trx, row.id, now);
      continue;
    }
    const there = { path: 'instance', expected: null, found: instance, since: readAt };
    await insertDrift(trx, locationId, {
      ...{ kind: 'foreign_instance', instance, incusProject, nodeId, serverId: null, facts },
      differences: [{ ...there, confirmed: true, forgotten: false }],
    });
  }
}

const keyOfRow = ({ incus_project, instance }: DriftRow) =>
  keyOf({ project: incus_project ?? '', instance });

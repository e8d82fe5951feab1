import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Trx } from '../../db/connection.ts';
import type { DriftRow } from '../../drift/queries.ts';
import { columnsOf, seeAgain } from '../../drift/sightings.ts';
import {
  hasDrift,
  insertDrift,
  lockDriftOf,
  type NewDrift,
  nodesByMember,
  removeDrift,
  serversToCompare,
  updateDrift,
} from '../../drift/sweep-queries.ts';
import type { Instance } from '../../incus/instances.ts';
import { EngineError } from '../../incus/transport/errors.ts';
import { networkOf } from '../../locations/network.ts';
import type { LocationRow } from '../../locations/queries.ts';
import { factsOf, type InstanceFacts, needsState, type Place } from '../../servers/engine/facts.ts';
import { serversOf } from '../../servers/truth-queries.ts';
import { each } from '../../usage/collect/each.ts';
import type { Subject } from '../truth.ts';
import { type Finding, type Found, findDrift, uuidsOf } from './findings.ts';

export interface Swept extends Pick<Subject, 'db' | 'client' | 'locationId' | 'signal' | 'found'> {
  location: Pick<LocationRow, 'name' | 'network' | 'network_kind' | 'vlan' | 'storage_pool'>;
  log: Logger;
}

/**
 * Records what somebody has changed by hand, as part of each sweep. `readAt` is a `databaseTime` from before the
 * instances were read. Returns the number of records that are listed and not forgotten.
 */
export async function syncDrift(
  swept: Swept,
  installationId: string,
  readAt: string,
  instances: Instance[],
): Promise<number> {
  const { db, locationId } = swept;
  const servers = await serversToCompare(db, locationId, readAt);
  const own = new Set(servers.map(({ uuid }) => uuid));
  const others = await serversOf(
    db,
    instances.flatMap(uuidsOf).filter((uuid) => !own.has(uuid)),
  );
  const found = await findDrift({ installationId, instances, servers, others });
  // Usually there is nothing, which needs no transaction.
  if (found.findings.length === 0 && !(await hasDrift(db, locationId))) return 0;
  const facts = await factsOfUnknown(swept, found, instances);
  const nodes = await nodesByMember(db, locationId);
  const { fresh, open } = await db
    .transaction()
    .execute((trx) => record(trx, locationId, found, { facts, nodes, readAt }));
  report(swept, fresh);
  return open;
}

/** What servers would have that were made of the unknown instances, by their names. */
async function factsOfUnknown(
  swept: Swept,
  { findings }: Found,
  instances: Instance[],
): Promise<Map<string, InstanceFacts>> {
  const unknown = new Set(
    findings.filter(({ kind }) => kind === 'unknown_instance').map(({ instance }) => instance),
  );
  return await factsOfAll(
    swept,
    instances.filter(({ name }) => unknown.has(name)),
  );
}

/** What servers would have that were made of these instances of the project of the client, by their names. */
export async function factsOfAll(
  { client, location, log, signal }: Pick<Swept, 'client' | 'location' | 'log' | 'signal'>,
  instances: Instance[],
): Promise<Map<string, InstanceFacts>> {
  const place: Place = { network: networkOf(location), pool: location.storage_pool };
  const facts = new Map<string, InstanceFacts>();
  const stateOf = async (name: string) => {
    try {
      return await client.instances.getState(name, { signal });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      log.warn({ err: error, instance: name }, 'The state of an unknown instance is unreadable.');
      return null;
    }
  };
  const look = async (instance: Instance) => {
    const { name } = instance;
    const state = needsState(instance) ? await stateOf(name) : null;
    facts.set(name, factsOf(instance, state, place));
  };
  const [error] = await each(instances, look, signal);
  if (error) throw error;
  return facts;
}

interface Context {
  facts: Map<string, InstanceFacts>;
  nodes: Map<string, number>;
  readAt: string;
}

/** Returns what is listed from now on, and how many records are listed. */
async function record(
  trx: Trx,
  locationId: number,
  { findings, unsure }: Found,
  { facts: ofUnknown, nodes, readAt }: Context,
): Promise<{ fresh: Finding[]; open: number }> {
  const rows = new Map(
    (await lockDriftOf(trx, locationId, 'own')).map((row) => [row.instance, row]),
  );
  const fresh: Finding[] = [];
  let open = 0;
  const ended: number[] = [];
  const seen = new Set(findings.map(({ instance }) => instance));
  for (const { id, instance, ...row } of rows.values()) {
    if (seen.has(instance)) continue;
    if (!unsure.has(instance)) ended.push(id);
    else if (isOpen(row)) open += 1;
  }
  for (const finding of findings) {
    const { instance, kind, member, server } = finding;
    const row = rows.get(instance);
    const isKnown = row?.kind === kind;
    const differences = seeAgain(isKnown ? row.differences : [], finding.differences, readAt);
    const nodeId = (member === null ? server?.nodeId : nodes.get(member)) ?? null;
    const now = { nodeId, differences, facts: ofUnknown.get(instance) ?? null };
    if (row && isKnown) {
      if (hasChanged(row, now)) await updateDrift(trx, row.id, now);
    } else {
      if (row) await removeDrift(trx, [row.id]);
      const isOf = { kind, instance, incusProject: null, serverId: server?.id ?? null };
      await insertDrift(trx, locationId, { ...isOf, ...now });
    }
    const isListed = isOpen(columnsOf(differences));
    if (isListed) open += 1;
    if (isListed && !(isKnown && isOpen(row))) fresh.push(finding);
  }
  await removeDrift(trx, ended);
  return { fresh, open };
}

const isOpen = (row: Pick<DriftRow, 'is_confirmed' | 'is_forgotten'>) =>
  row.is_confirmed && !row.is_forgotten;

/** An unchanged row is not written again each minute. */
export function hasChanged(
  row: DriftRow,
  { nodeId, ...now }: Pick<NewDrift, 'nodeId' | 'differences' | 'facts'>,
): boolean {
  const { node_id, differences, facts } = row;
  // PostgreSQL returns the keys of an object in an order of its own.
  return node_id !== nodeId || !isDeepStrictEqual({ differences, facts }, now);
}

function report({ found, location, log }: Swept, fresh: Finding[]): void {
  found?.('drift', fresh.length);
  for (const { kind, instance, differences } of fresh) {
    const paths = differences.map(({ path }) => path);
    log.warn(
      { location: location.name, instance, kind, paths },
      'Somebody has changed something in Incus by hand. GET /v1/drift shows it.',
    );
  }
}

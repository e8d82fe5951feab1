import type { DriftKind } from '../../drift/queries.ts';
import type { ServerToCompare } from '../../drift/sweep-queries.ts';
import type { Instance } from '../../incus/instances.ts';
import { isHelperAtWork } from '../../instances/helpers.ts';
import { instanceName, labelsOf, serverUuid } from '../../instances/labels.ts';
import { eachWithPauses } from '../../lib/pause.ts';
import { type Difference, differencesOf } from '../../servers/engine/drift.ts';

/** A difference between the records and the instances of a location in one reading. */
export interface Finding {
  kind: DriftKind;
  /** Of a server, the name that its instance should have. */
  instance: string;
  /** The member of the cluster that the instance is on; null if it is missing. */
  member: string | null;
  server: ServerToCompare | null;
  differences: Difference[];
}

interface Reading {
  installationId: string;
  instances: Instance[];
  /** All servers of the location. */
  servers: ServerToCompare[];
  /** Whether other servers were deleted, by their uuid. */
  others: ReadonlyMap<string, { isDeleted: boolean }>;
}

export interface Found {
  findings: Finding[];
  /** The names of instances of which this reading says nothing. */
  unsure: Set<string>;
}

/** The uuids of the servers to which an instance may belong. */
export const uuidsOf = (instance: Instance): string[] =>
  [serverUuid(instance.name), labelsOf(instance).server].filter((one) => one !== undefined);

/** Compares all instances of a location with all of its servers. */
export async function findDrift(reading: Reading): Promise<Found> {
  const { instances, servers } = reading;
  const found: Found = { findings: [], unsure: new Set() };
  const context: Context = {
    ...reading,
    byName: new Map(instances.map((one) => [one.name, one])),
    uuids: new Set(servers.map(({ uuid }) => uuid)),
    renamed: new Map(),
  };
  context.renamed = findRenamed(context);
  await eachWithPauses(servers, (server) => lookAtServer(context, server, found));
  const renamed = new Set(context.renamed.values());
  await eachWithPauses(instances, (instance) => {
    if (isHelperAtWork(instance) || renamed.has(instance)) return;
    lookAtInstance(context, instance, found);
  });
  return found;
}

interface Context extends Reading {
  byName: ReadonlyMap<string, Instance>;
  /** Those of the servers. */
  uuids: ReadonlySet<string>;
  /** Instances that were renamed, by the uuids of their servers. */
  renamed: ReadonlyMap<string, Instance>;
}

/**
 * An instance was renamed if it is the only one with the label of its server, and there is none with the name of that
 * server. Of several, it is not known which of them is the server.
 */
function findRenamed({ byName, instances, uuids }: Context): Map<string, Instance> {
  const ofServer = (one: Instance) => labelsOf(one).server ?? '';
  const labelled = instances.filter((one) => {
    const uuid = ofServer(one);
    return uuids.has(uuid) && !byName.has(instanceName(uuid));
  });
  const groups = [...Map.groupBy(labelled, ofServer)];
  return new Map(
    groups.flatMap(([uuid, [one, ...others]]) =>
      one && others.length === 0 ? [[uuid, one] as const] : [],
    ),
  );
}

function lookAtServer(
  { byName, installationId, renamed }: Context,
  server: ServerToCompare,
  { findings, unsure }: Found,
): void {
  const name = instanceName(server.uuid);
  if (server.adopts !== null) unsure.add(server.adopts);
  if (server.state === 'changing') unsure.add(name);
  if (server.state !== 'at_rest') return;
  const instance = byName.get(name) ?? renamed.get(server.uuid);
  if (!instance) {
    lookForMissing(server, name, { findings, unsure });
    return;
  }
  // Its member does not answer, and Incus shows little more than its name.
  if (instance.status === 'Error') {
    unsure.add(name);
    return;
  }
  const differences = differencesOf(server, instance, installationId);
  if (differences.length === 0) return;
  findings.push({
    ...{ kind: 'changed', instance: name, member: instance.location, server, differences },
  });
}

function lookForMissing(server: ServerToCompare, name: string, { findings, unsure }: Found): void {
  if (server.isLost) return;
  // Another reconciler looks twice before it records that an instance is gone.
  if (!server.isMissing) {
    unsure.add(name);
    return;
  }
  const differences = [{ path: 'instance', expected: name, found: null }];
  findings.push({ kind: 'missing_instance', instance: name, member: null, server, differences });
}

/** An instance that was not renamed. */
function lookAtInstance(context: Context, instance: Instance, { findings, unsure }: Found): void {
  const { name, location: member, status } = instance;
  if (unsure.has(name)) return;
  const named = serverUuid(name);
  if (named && stateOf(context, named) === 'exists') return;
  if (status === 'Error') {
    unsure.add(name);
    return;
  }
  const { installation, server: labelled } = labelsOf(instance);
  const isOurs = installation === context.installationId;
  // The sweep removes what is left of deleted servers.
  if (isOurs && labelled && stateOf(context, labelled) === 'deleted') return;
  const differences = [{ path: 'instance', expected: null, found: name }];
  findings.push({ kind: 'unknown_instance', instance: name, member, server: null, differences });
}

function stateOf({ others, uuids }: Context, uuid: string): 'exists' | 'deleted' | undefined {
  if (uuids.has(uuid)) return 'exists';
  const other = others.get(uuid);
  return other && (other.isDeleted ? 'deleted' : 'exists');
}

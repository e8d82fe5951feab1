import type { Trx } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { firstStep } from '../operations/define.ts';
import { busy } from '../operations/problems.ts';
import { insertOperation, type OperationRow, unfinishedOperation } from '../operations/queries.ts';
import { Problem } from '../problems/problem.ts';
import { repairOperation } from '../servers/operations/repair.ts';
import { lockServer, type ServerRow } from '../servers/queries.ts';
import {
  type DriftKind,
  findDrift,
  lockDifferences,
  type ShownDrift,
  setDifferences,
} from './queries.ts';
import { forgetShown } from './sightings.ts';

export function driftNotFound(id: number | string): Problem {
  return new Problem('drift_not_found', `No drift record has the id ${id}.`);
}

/**
 * Accepts the differences of a drift record as they are, which ends it until somebody changes the instance again. Nothing
 * is done to the instance or its server. Throws 404.
 */
export async function forgetDrift(trx: Trx, id: number): Promise<ShownDrift> {
  const differences = await lockDifferences(trx, id);
  if (!differences) throw driftNotFound(id);
  await setDifferences(trx, id, forgetShown(differences));
  return await requireDrift(trx, id);
}

/**
 * Enters the operation that gives the instance of a server what the records say. Throws 404, `drift_not_repairable` and
 * `operation_in_progress` (409).
 */
export async function requestRepair(
  trx: Trx,
  id: number,
): Promise<{ server: ServerRow; operation: OperationRow; drift: ShownDrift }> {
  const drift = await requireDrift(trx, id);
  const { kind, server_id: serverId, project_id: projectId } = drift;
  if (kind !== 'changed') throw new Problem('drift_not_repairable', advice[kind]);
  if (serverId === null || projectId === null) throw driftNotFound(id);
  const project = new Project(trx, projectId);
  const server = await lockServer(project, serverId);
  // It was deleted meanwhile.
  if (!server) throw driftNotFound(id);
  const current = await unfinishedOperation(project, serverId);
  if (current) throw busy('server', current);
  if (server.installed_at === null) throw new Problem('drift_not_repairable', notWhole);
  const operation = await insertOperation(project, { ...firstStep(repairOperation), serverId });
  return { server, operation, drift };
}

const notWhole =
  'A creation, a rebuild or a deletion of the server has failed since the drift was found, and its instance need not be ' +
  'whole. `allowed_actions` of the server lists what it accepts now.';

const advice: Record<Exclude<DriftKind, 'changed'>, string> = {
  missing_instance:
    'The instance and its disk no longer exist, so they cannot be put back. Rebuild the server, which creates it again ' +
    'without its data, or delete it.',
  foreign_instance:
    'The instance is in another Incus project and belongs to no server, so nothing is known that could be put back. Adopt ' +
    'it, or forget it.',
  unknown_instance:
    'The instance belongs to no server, so nothing is known that could be put back. Adopt it, delete it in Incus, or forget it.',
};

export async function requireDrift(trx: Trx, id: number): Promise<ShownDrift> {
  const row = await findDrift(trx, id);
  if (!row) throw driftNotFound(id);
  return row;
}

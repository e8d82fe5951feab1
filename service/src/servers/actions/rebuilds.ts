import type { Trx } from '../../db/connection.ts';
import type { Project } from '../../db/project.ts';
import { requireLocation } from '../../locations/queries.ts';
import { nodeById } from '../../nodes/queries.ts';
import { firstStep } from '../../operations/define.ts';
import {
  insertOperation,
  type OperationRow,
  unfinishedOperation,
} from '../../operations/queries.ts';
import { placeServer } from '../../placement/placement.ts';
import { Problem } from '../../problems/problem.ts';
import { serverNotFound } from '../not-found.ts';
import { createOperation } from '../operations/create.ts';
import { lockServer, setRebuilding } from '../queries.ts';
import { makeWay } from './actions.ts';
import type { SealedSecrets } from './create.ts';

/**
 * Enters the operation that makes a server anew whose node was declared lost, or refuses it: on another
 * node, with its id, addresses and size, from the image of its operating system.
 */
export async function requestRebuild(
  trx: Trx,
  project: Project,
  serverId: number,
  { secrets, commands }: { secrets: SealedSecrets; commands: number },
): Promise<OperationRow> {
  const server = await lockServer(project, serverId);
  if (!server) throw serverNotFound(serverId);
  const current = await unfinishedOperation(project, serverId);
  if (current) await makeWay(project, current, 'rebuild');
  const { lost } = await nodeById(trx, server.node_id);
  if (!lost || server.status !== 'error') throw notLost;
  const location = await requireLocation(trx, server.location_id);
  const { cpu, ram_mb: ramMb, disk_gb: diskGb, group_name: group } = server;
  const { nodeId, placement } = await placeServer(trx, project, location, {
    ...{ cpu, ramMb, diskGb, group },
  });
  await setRebuilding(project, serverId, { nodeId, commands });
  return await insertOperation(project, {
    ...firstStep(createOperation),
    serverId,
    state: { commands },
    placement,
    secrets: (id) => secrets(serverId, id),
  });
}

const notLost = new Problem(
  'server_not_lost',
  'Only a server whose node was declared lost can be rebuilt.',
);

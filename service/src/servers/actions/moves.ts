import type { Trx } from '../../db/connection.ts';
import type { Project } from '../../db/project.ts';
import type { Placement } from '../../db/schema/schema.ts';
import { requireLocation } from '../../locations/queries.ts';
import { findNodes, nodeById, type ShownNode } from '../../nodes/queries.ts';
import { firstStep } from '../../operations/define.ts';
import {
  insertOperation,
  type OperationRow,
  unfinishedOperation,
} from '../../operations/queries.ts';
import { placeOnNode, placeServer } from '../../placement/placement.ts';
import { invalidFields, Problem } from '../../problems/problem.ts';
import { serverNotFound } from '../not-found.ts';
import { type MoveRequest, moveOperation } from '../operations/move.ts';
import { lockServer, type ServerRow, setMovingTo } from '../queries.ts';
import { makeWay, requireStatus } from './actions.ts';

export interface WantedMove {
  /** The name of a node of its location; without it one is chosen. */
  node?: string | undefined;
  /** The evacuation, or the restore, that it is part of. */
  parentId?: number;
  /** Whether its node is evacuated, to which a restore is to bring it back. */
  evacuates?: boolean;
}

/**
 * Enters the operation that moves a server to another node, or refuses it. Room on that node is held
 * from now on, and that on its own node until it is seen to have left.
 */
export async function requestMove(
  trx: Trx,
  project: Project,
  serverId: number,
  { node, parentId, evacuates = false }: WantedMove,
): Promise<OperationRow> {
  const server = await lockServer(project, serverId);
  if (!server) throw serverNotFound(serverId);
  const current = await unfinishedOperation(project, serverId);
  if (current) await makeWay(project, current, 'move');
  requireStatus(server, 'move');
  const from = await nodeById(trx, server.node_id);
  requireAnswering(from);
  requireMember(from);
  const { to, placement } = await choose(trx, project, server, node);
  await setMovingTo(project, serverId, to.id);
  const state: MoveRequest = { from: { id: from.id, name: from.name }, to, evacuates };
  return await insertOperation(project, {
    ...firstStep(moveOperation),
    serverId,
    ...(parentId !== undefined && { parentId }),
    ...(placement && { placement }),
    state: { ...state },
  });
}

/** Refuses what needs a node that can't be asked. */
function requireAnswering({ name, state }: ShownNode): void {
  if (state !== 'offline' && state !== 'gone' && state !== 'lost') return;
  const detail = `The node ${name} does not answer, so the server cannot be moved away from it.`;
  throw new Problem('node_offline', detail);
}

async function choose(
  trx: Trx,
  project: Project,
  server: ServerRow,
  name: string | undefined,
): Promise<{ to: MoveRequest['to']; placement?: Placement }> {
  const { cpu, ram_mb: ramMb, disk_gb: diskGb, group_name: group, node_id: currentNodeId } = server;
  const wanted = { cpu, ramMb, diskGb, group, currentNodeId };
  const location = await requireLocation(trx, server.location_id);
  if (name !== undefined) {
    const to = await namedNode(trx, server, name);
    await placeOnNode(trx, location, to, wanted);
    return { to: requireMember(to) };
  }
  const { nodeId, placement } = await placeServer(trx, project, location, wanted);
  const to = requireMember(await nodeById(trx, nodeId));
  return { to, placement };
}

async function namedNode(trx: Trx, server: ServerRow, name: string): Promise<ShownNode> {
  const [node] = await findNodes(trx, name, server.location_id);
  if (!node) {
    const detail =
      'Must be the name of a node at the location of the server. GET /v1/nodes lists them.';
    throw invalidFields([{ pointer: '/node', detail }]);
  }
  if (node.id !== server.node_id) return node;
  throw new Problem('server_on_node', `The server is already on the node ${name}.`);
}

/** Only members of a cluster have others to choose from. */
function requireMember({ id, name, member }: ShownNode): MoveRequest['to'] {
  if (member === null) throw new Problem('not_clustered', `The node ${name} is not in a cluster.`);
  return { id, name, member };
}

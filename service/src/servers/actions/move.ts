import { ServerMove } from '@berth/contract/servers';
import type { Trx } from '../../db/connection.ts';
import type { Project } from '../../db/project.ts';
import type { Placement } from '../../db/schema/schema.ts';
import { requireLocation } from '../../locations/queries.ts';
import { findNodes, nodeById, type ShownNode } from '../../nodes/queries.ts';
import { placeOnNode, placeServer } from '../../placement/placement.ts';
import { invalidFields, Problem } from '../../problems/problem.ts';
import { type MoveRequest, moveOperation } from '../operations/move.ts';
import { type ServerRow, setMovingTo } from '../queries.ts';
import { defineServerAction } from './rules/define.ts';

export interface WantedMove {
  /** The name of a node of the same location. By default one is chosen. */
  node?: string | undefined;
  /** The evacuation or restore of which it is a part. */
  parentId?: number;
  /** Whether it is part of an evacuation, so that a restore brings the server back. */
  evacuates?: boolean;
}

/**
 * Reserves capacity on the target node from the request on. The capacity on its current node is released when the
 * server has been seen on the target.
 */
export const moveAction = defineServerAction({
  name: 'move',
  operation: moveOperation,
  summary: 'Move a server to another node',
  description:
    'Moves a server to another node of its location, with its disk and its IP addresses. A running server is shut down ' +
    'for the move, by cutting its power if its guest does not shut down in time, and is started on the new node; a ' +
    'virtual machine that supports live migration keeps running. If the move fails, the server stays where it is.',
  accepted: 'The server is being moved.',
  scope: 'admin',
  body: ServerMove,
  problems: [
    'no_capacity',
    'node_offline',
    'not_clustered',
    'server_not_movable',
    'server_on_node',
  ],
  read: ({ body }): WantedMove => body ?? {},
  whileSuspended: true,
  from: ['started', 'stopped'],
  refuse: ({ status }) =>
    new Problem(
      'server_not_movable',
      `Only a server that is started or stopped can be moved; this server is in the ${status} state.`,
    ),
  async begin({ trx, project }, server, { node, parentId, evacuates = false }) {
    const from = await nodeById(trx, server.node_id);
    requireAnswering(from);
    requireMember(from);
    const { to, placement } = await choose(trx, project, server, node);
    await setMovingTo(project, server.id, to.id);
    const state: MoveRequest = { from: { id: from.id, name: from.name }, to, evacuates };
    return {
      ...(parentId !== undefined && { parentId }),
      ...(placement && { placement }),
      state: { ...state },
    };
  },
});

/** Throws if its node is unreachable. */
export function requireAnswering({ name, state }: ShownNode): void {
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
      'Must be the name of a node at the location of the server. List the nodes with GET /v1/nodes.';
    throw invalidFields([{ pointer: '/node', detail }]);
  }
  if (node.id !== server.node_id) return node;
  throw new Problem('server_on_node', `The server is already on the node ${name}.`);
}

/** Throws unless the node is a member of a cluster, since there is no other node to choose. */
export function requireMember({ id, name, member }: ShownNode): MoveRequest['to'] {
  if (member === null) throw new Problem('not_clustered', `The node ${name} is not in a cluster.`);
  return { id, name, member };
}

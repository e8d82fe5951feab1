import type { Trx } from '../db/connection.ts';
import { findLocation } from '../locations/queries.ts';
import { declareNodeLost } from '../nodes/lost-queries.ts';
import { requireNode } from '../nodes/nodes.ts';
import { type ShownNode, setCordoned } from '../nodes/queries.ts';
import { firstStep } from '../operations/define.ts';
import { busy } from '../operations/problems.ts';
import type { OperationRow } from '../operations/queries.ts';
import { invalidFields, Problem } from '../problems/problem.ts';
import { declareLostOperation } from './declare-lost.ts';
import { evacuateOperation } from './evacuate.ts';
import type { MovingState } from './moving.ts';
import {
  insertNodeOperation,
  supersedeNodeOperation,
  unfinishedNodeOperation,
} from './moving-queries.ts';
import { restoreOperation } from './restore.ts';

export type NodeAction = 'evacuate' | 'restore';

export const maintenanceKinds = { evacuate: evacuateOperation, restore: restoreOperation };
const opposite = { evacuate: 'restore', restore: 'evacuate' };

/**
 * Enters the operation that takes a node out of service or puts it back, or throws. The request
 * also cordons or uncordons the node, and supersedes the opposite operation, which may last for
 * hours.
 */
export async function requestMaintenance(
  trx: Trx,
  action: NodeAction,
  { name, locationId }: { name: string; locationId: number | undefined },
): Promise<{ node: ShownNode; operation: OperationRow }> {
  const node = await requireNode(trx, name, locationId);
  requireMember(node);
  requireAnswering(node);
  // This locks the node, so that concurrent requests run one after the other.
  await setCordoned(trx, node.id, action === 'evacuate');
  const current = await unfinishedNodeOperation(trx, node.id);
  if (current && current.kind !== opposite[action]) throw busy('node', current);
  if (current) await supersedeNodeOperation(trx, current.id, `a request to ${action} the node`);
  const state: MovingState = { refused: {} };
  const operation = await insertNodeOperation(trx, {
    ...firstStep(maintenanceKinds[action]),
    nodeId: node.id,
    state: { ...state },
  });
  return { node, operation };
}

/**
 * Declares a node lost that does not answer, and enters the operation that makes Incus remove it;
 * or throws. Its servers are in error from the request on.
 */
export async function requestDeclareLost(
  trx: Trx,
  { name, locationId, confirm }: { name: string; locationId: number | undefined; confirm: string },
): Promise<{ node: ShownNode; operation: OperationRow }> {
  const node = await requireNode(trx, name, locationId);
  if (confirm !== node.name) {
    const detail = `Must be the name of the node, ${node.name}, because its servers and their disks will be given up.`;
    throw invalidFields([{ pointer: '/confirm', detail }]);
  }
  requireMember(node);
  await requireSilent(trx, node);
  await declareNodeLost(trx, node);
  const operation = await insertNodeOperation(trx, {
    ...firstStep(declareLostOperation),
    nodeId: node.id,
  });
  return { node, operation };
}

async function requireSilent(trx: Trx, { name, status, location_id }: ShownNode): Promise<void> {
  const location = await findLocation(trx, location_id);
  if (!location?.isReachable) {
    const detail =
      'The location of the node cannot be reached, so the state of the node is unknown.';
    throw new Problem('location_unreachable', detail);
  }
  if (status !== 'online') return;
  const detail = `The node ${name} answers. Only a node that is switched off can be declared lost.`;
  throw new Problem('node_answers', detail);
}

function requireMember({ name, member }: ShownNode): void {
  if (member !== null) return;
  const detail = `The node ${name} is not in a cluster, so its servers cannot be moved anywhere.`;
  throw new Problem('not_clustered', detail);
}

function requireAnswering({ name, state }: ShownNode): void {
  if (state !== 'offline' && state !== 'gone' && state !== 'lost') return;
  const detail = `The node ${name} does not answer, so nothing can be moved from it or to it.`;
  throw new Problem('node_offline', detail);
}

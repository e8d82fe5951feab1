import type { Queryable, Trx } from '../db/connection.ts';
import { Problem } from '../problems/problem.ts';
import { shownName } from '../problems/shown-text.ts';
import { findNodes, type ShownNode, setCordoned } from './queries.ts';

function nodeNotFound(name: string): Problem {
  const detail = `No node is called ${shownName(name)}. List the nodes with GET /v1/nodes.`;
  return new Problem('node_not_found', detail);
}

/** The node with a name. If several locations have it, `locationId` is required. */
export async function requireNode(
  db: Queryable,
  name: string,
  locationId: number | undefined,
): Promise<ShownNode> {
  // PostgreSQL does not accept this character.
  if (name.includes('\0')) throw nodeNotFound(name);
  const [node, another] = await findNodes(db, name, locationId);
  if (!node) throw nodeNotFound(name);
  if (another) {
    const candidates = [node, another].map(({ id, name, location }) => ({ id, name, location }));
    const detail = `Several locations have a node called ${node.name}. Add the parameter location_id.`;
    throw new Problem('ambiguous_name', detail, { members: { candidates } });
  }
  return node;
}

/** Cordons or uncordons a node. Its servers continue to run. */
export async function cordonNode(
  trx: Trx,
  name: string,
  { locationId, cordoned }: { locationId: number | undefined; cordoned: boolean },
): Promise<ShownNode> {
  const { id, location_id } = await requireNode(trx, name, locationId);
  await setCordoned(trx, id, cordoned);
  return await requireNode(trx, name, location_id);
}

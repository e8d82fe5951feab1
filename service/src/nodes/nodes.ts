import type { Queryable } from '../db/connection.ts';
import { invalidFields, Problem } from '../problem.ts';
import { findNodes, type ShownNode } from './queries.ts';

function nodeNotFound(name: string): Problem {
  const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  return new Problem('node_not_found', `No node is called ${shown}.`);
}

/** The node of a name, which more than one location may have: then `locationId` must tell which. */
export async function requireNode(
  db: Queryable,
  name: string,
  locationId: number | undefined,
): Promise<ShownNode> {
  // Which PostgreSQL can't take.
  if (name.includes('\0')) throw nodeNotFound(name);
  const [node, another] = await findNodes(db, name, locationId);
  if (!node) throw nodeNotFound(name);
  if (another) {
    const detail = 'Several locations have a node of this name: say which location.';
    throw invalidFields([{ pointer: '/location_id', detail }]);
  }
  return node;
}

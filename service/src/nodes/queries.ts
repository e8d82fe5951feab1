import { sql } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';

export interface NodeRoom {
  id: number;
  name: string;
  cpu: number;
  ramMb: number;
  /** What the servers on it were given together, stopped ones included. */
  ramAllocatedMb: number;
}

/** A location's online nodes with what is taken of them, locked until the transaction ends. */
export async function lockOnlineNodes(trx: Trx, locationId: number): Promise<NodeRoom[]> {
  const nodes = await trx
    .selectFrom('nodes')
    .select(['id', 'name', 'cpu', 'ram_mb as ramMb'])
    .where('location_id', '=', locationId)
    .where('status', '=', 'online')
    .orderBy('id')
    .forUpdate()
    .execute();
  const allocated = await trx
    .selectFrom('servers')
    .select(['node_id', (eb) => eb.fn.sum<number>('ram_mb').as('ram_mb')])
    .where('location_id', '=', locationId)
    .where('deleted_at', 'is', null)
    .groupBy('node_id')
    .execute();
  const ramByNode = new Map(allocated.map((a) => [a.node_id, Number(a.ram_mb)]));
  return nodes.map((node) => ({ ...node, ramAllocatedMb: ramByNode.get(node.id) ?? 0 }));
}

export interface NodeFacts {
  name: string;
  member: string | null;
  status: 'online' | 'offline';
  cpu: number;
  ramMb: number;
}

/** Enters what the engine says of a location's nodes. */
export async function upsertNode(trx: Trx, locationId: number, node: NodeFacts): Promise<void> {
  const facts = { member: node.member, status: node.status, cpu: node.cpu, ram_mb: node.ramMb };
  await trx
    .insertInto('nodes')
    .values({ location_id: locationId, name: node.name, ...facts })
    .onConflict((oc) =>
      oc.columns(['location_id', 'name']).doUpdateSet({ ...facts, updated_at: sql<string>`now()` }),
    )
    .execute();
}

/** Enters which members of a location's cluster can't be asked; all others can. */
export async function setSilentMembers(
  db: Queryable,
  locationId: number,
  members: string[],
): Promise<void> {
  const status = sql<
    NodeFacts['status']
  >`case when member = any(${members}) then 'offline' else 'online' end`;
  await db
    .updateTable('nodes')
    .set({ status, updated_at: sql<string>`now()` })
    .where('location_id', '=', locationId)
    .where('member', 'is not', null)
    .where('status', '<>', status)
    .execute();
}

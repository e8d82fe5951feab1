import type { Queryable } from '../db/connection.ts';

/** The part of a node that the steps of an operation need. */
export interface NodeForOperation {
  id: number;
  name: string;
  locationId: number;
  /** The name as a member of a cluster; null without a cluster. */
  member: string | null;
  status: 'online' | 'offline';
  evacuated: boolean;
  cordoned: boolean;
}

export async function nodeForOperation(db: Queryable, id: number): Promise<NodeForOperation> {
  return await db
    .selectFrom('nodes')
    .select(['id', 'name', 'location_id as locationId', 'member', 'status'])
    .select(['evacuated', 'cordoned'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

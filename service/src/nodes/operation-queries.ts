import type { Queryable } from '../db/connection.ts';

/** What the steps of an operation need to know of their node. */
export interface NodeForOperation {
  id: number;
  name: string;
  locationId: number;
  /** Its name as a member of a cluster; null without one. */
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

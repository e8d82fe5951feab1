import { sql } from 'kysely';
import type { Trx } from '../db/connection.ts';
import type { EngineStatus, ServerStatus } from '../db/schema/schema.ts';
import type { Change } from '../operations/lease-queries.ts';

const now = sql<string>`now()`;

export interface ServerState {
  status?: ServerStatus;
  realStatus?: EngineStatus;
  error?: string | null;
  installed?: boolean;
  /** The number of failed initial commands. */
  commandsFailed?: number;
}

export async function setServerState(trx: Trx, id: number, state: ServerState): Promise<void> {
  await changeServer(id, state)(trx).execute();
}

/** The same as the only change of an operation's end. */
export function changeServer(id: number, state: ServerState): Change {
  return (db) =>
    db
      .updateTable('servers')
      .set({
        ...(state.status && { status: state.status }),
        ...(state.realStatus && { real_status: state.realStatus, real_status_at: now }),
        ...(state.error !== undefined && { error: state.error }),
        ...(state.commandsFailed !== undefined && { commands_failed: state.commandsFailed }),
        ...(state.installed !== undefined && {
          installed_at: state.installed ? now : null,
        }),
      })
      .where('id', '=', id);
}

/**
 * Records that the server was seen on its target node; for an evacuation also the node that it came
 * from, once.
 */
export async function setServerMoved(
  trx: Trx,
  id: number,
  state: 'started' | 'stopped',
  { nodeId, evacuatedFrom }: { nodeId: number; evacuatedFrom: number | null },
): Promise<void> {
  await setServerState(trx, id, { status: state, realStatus: state, error: null });
  await trx
    .updateTable('servers')
    .set({
      node_id: nodeId,
      moving_to: null,
      evacuated_from:
        evacuatedFrom === null
          ? null
          : sql<number>`nullif(coalesce(evacuated_from, ${evacuatedFrom}), ${nodeId})`,
    })
    .where('id', '=', id)
    .execute();
}

/** Keeps the row as a tombstone. All of its resources must have been released before. */
export async function markServerDeleted(trx: Trx, id: number): Promise<void> {
  await trx
    .updateTable('servers')
    .set({ deleted_at: now, real_status: 'not_exists', real_status_at: now, error: null })
    .where('id', '=', id)
    .execute();
}

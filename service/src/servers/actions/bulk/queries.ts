import { isOneOf } from '../../../db/filters.ts';
import type { Project, ProjectRows } from '../../../db/project.ts';
import { isSelected, selectLabels } from '../../../labels/queries.ts';
import type { Selector } from '../../../labels/selector.ts';

/** The ids of the servers that a selector selects as of one time: the lowest, as many as `limit` at most. */
export async function selectedServers(
  rows: ProjectRows,
  selector: Selector,
  limit: number,
): Promise<number[]> {
  return await rows.inSnapshot(async (own) => {
    const found = await own
      .select('servers')
      .select('servers.id')
      .where('servers.deleted_at', 'is', null)
      .where(isSelected('servers', await selectLabels(own, selector)))
      .orderBy('servers.id')
      .limit(limit)
      .execute();
    return found.map(({ id }) => id);
  });
}

/**
 * Those among these servers that a selector still selects, locked until the transaction ends. A change of labels that
 * commits while this waits for its lock is seen.
 */
export async function lockSelected(
  project: Project,
  ids: readonly number[],
  selector: Selector,
): Promise<number[]> {
  const found = await project
    .select('servers')
    .select('servers.id')
    .where(isOneOf('servers.id', ids))
    .where('servers.deleted_at', 'is', null)
    .where(isSelected('servers', { selector, sets: undefined }))
    .orderBy('servers.id')
    .forUpdate()
    .execute();
  return found.map(({ id }) => id);
}

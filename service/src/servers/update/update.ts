import type { ServerUpdate } from '@berth/contract/servers';
import { type Details, difference } from '../../audit/details.ts';
import { patchLabels } from '../../labels/labels.ts';
import { type Labels, labelSetFor } from '../../labels/queries.ts';
import type { OperationRow } from '../../operations/queries.ts';
import type { Place } from '../actions/rules/define.ts';
import { serverNotFound } from '../not-found.ts';
import { lockServer, type ServerRow, setServerSettings } from '../queries.ts';
import { renameServer } from './rename.ts';

interface Updated {
  /** What differs, for the audit log. */
  details: Details;
  /** What sets a new name inside the server. */
  operation: OperationRow | undefined;
}

/**
 * Changes the settings of a server. Concurrent changes wait for each other, so that none undoes another. Throws 404, 422
 * for too many labels, and what `renameServer` throws.
 */
export async function updateServer(
  place: Place,
  id: number,
  { name, labels: patch, notes, protection }: ServerUpdate,
): Promise<Updated> {
  const { project } = place;
  const before = await lockServer(project, id);
  if (!before) throw serverNotFound(id);
  const operation = name === undefined ? undefined : await renameServer(place, before, name);
  const labels = patch === undefined ? before.labels : patchLabels(before.labels, patch);
  const changedLabels = labelChanges(before.labels, labels);
  const hasOthers = Object.keys(changedLabels).length > 0;
  await setServerSettings(project, id, {
    ...(hasOthers && { labels: { labels, setId: await labelSetFor(project, labels) } }),
    notes,
    protection,
  });
  const changedProtection = difference(protectionOf(before), {
    ...protectionOf(before),
    ...protection,
  });
  const details = {
    ...difference({ name: before.hostname }, { name: name ?? before.hostname }),
    ...(hasOthers && { labels: changedLabels }),
    ...(notes !== undefined && notes !== before.notes && { notes_changed: true }),
    ...(Object.keys(changedProtection).length > 0 && { protection: changedProtection }),
  };
  return { details, operation };
}

/** Null stands for a label that is not there. */
function labelChanges(before: Labels, after: Labels): Details {
  const absent = Object.fromEntries(
    Object.keys({ ...before, ...after }).map((key): [string, string | null] => [key, null]),
  );
  return difference({ ...absent, ...before }, { ...absent, ...after });
}

const protectionOf = (server: ServerRow) => ({
  delete: server.protects_delete,
  rebuild: server.protects_rebuild,
});

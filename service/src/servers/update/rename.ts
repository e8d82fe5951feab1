import { busy } from '../../operations/problems.ts';
import { type OperationRow, unfinishedOperation } from '../../operations/queries.ts';
import { Problem } from '../../problems/problem.ts';
import { projectNotFound } from '../../projects/projects.ts';
import { lockProject } from '../../projects/queries.ts';
import { requireNotSuspended } from '../actions/enter.ts';
import type { Place } from '../actions/rules/define.ts';
import { currentStateHint } from '../actions/rules/not-in-state.ts';
import { requireFreeName } from '../creation/create.ts';
import { enterRename, unfinishedRename } from '../operations/rename.ts';
import { type ServerRow, setServerSettings } from '../queries.ts';

/**
 * Renames a server that is locked. Returns the operation that sets the name inside it; undefined if there is nothing to
 * do: it is called so already, or it has no instance, and gets the name when it is created. Throws `name_taken`,
 * `operation_in_progress`, `server_not_renamable` and `suspended` (409).
 */
export async function renameServer(
  { trx, project }: Place,
  server: ServerRow,
  name: string,
): Promise<OperationRow | undefined> {
  const isCalledSo = server.hostname === name;
  const unfinished = await unfinishedRename(project, server.id);
  if (isCalledSo && !(unfinished && hasInstance(server))) return undefined;
  requireNotSuspended(server);
  const current = await unfinishedOperation(project, server.id);
  if (current) throw busy('server', current);
  if (!isCalledSo) {
    const { unique_names } = await requireProject({ trx, project });
    if (unique_names) await requireFreeName(project, name, server.id);
    await setServerSettings(project, server.id, { hostname: name });
  }
  if (!hasInstance(server)) return undefined;
  if (server.status !== 'started' && server.status !== 'stopped') throw notRenamable(server);
  const before = unfinished?.state;
  const from = [...new Set([server.hostname, ...(before?.from ?? [])])];
  return await enterRename(project, server.id, { ...before, from });
}

/** Locked, so that of two concurrent requests for a name the second one finds what the first did. */
async function requireProject({ trx, project }: Place) {
  const row = await lockProject(trx, project.id);
  if (!row) throw projectNotFound(project.id);
  return row;
}

/** A create that failed may have left one, which a retry replaces. */
const hasInstance = ({ installed_at, real_status }: ServerRow) =>
  installed_at !== null && real_status !== 'not_exists';

function notRenamable(server: ServerRow): Problem {
  const detail = `Only a server that is started or stopped can be renamed; ${currentStateHint(server)}`;
  return new Problem('server_not_renamable', detail);
}

import type { ProjectCreate, ProjectUpdate } from '@berth/contract/projects';
import type { Caller } from '../callers/app-types.ts';
import type { Trx } from '../db/connection.ts';
import { counted } from '../lib/counted.ts';
import { Problem } from '../problems/problem.ts';
import {
  findServersOfSameName,
  homeProject,
  insertProject,
  isNameTaken,
  listProjectsOfLineage,
  lockProject,
  markProjectDeleted,
  type ProjectRow,
  updateProject,
} from './queries.ts';

export function projectNotFound(id: number | string): Problem {
  return new Problem('project_not_found', `No project has the id ${id}.`);
}

export async function createProject(trx: Trx, body: ProjectCreate): Promise<ProjectRow> {
  await requireFreeName(trx, body.name);
  return await insertProject(trx, { unique_names: true, ...body });
}

/**
 * Changes a project. A quota below the usage applies to new objects. Nothing is removed except outputs, by
 * housekeeping.
 */
export async function changeProject(
  trx: Trx,
  id: number,
  body: ProjectUpdate,
): Promise<{ before: ProjectRow; row: ProjectRow }> {
  const before = await lockProject(trx, id);
  if (!before) throw projectNotFound(id);
  if (body.name !== undefined) await requireFreeName(trx, body.name, id);
  if (body.unique_names && !before.unique_names) await requireUniqueNames(trx, before);
  return { before, row: await updateProject(trx, id, body) };
}

/**
 * Deletes a project, unless it has servers, is the project of the first admin token, or its end
 * would end the caller's token. Its history stays in the audit log.
 */
export async function deleteProject(
  trx: Trx,
  id: number,
  { tokenId }: Pick<Caller, 'tokenId'>,
): Promise<ProjectRow> {
  const project = await lockProject(trx, id);
  if (!project) throw projectNotFound(id);
  const { name, used_servers: servers } = project;
  if (id === (await homeProject(trx))) {
    const detail = `The project ${name} is the first project of the installation, which cannot be deleted.`;
    throw new Problem('project_in_use', detail);
  }
  if (tokenId !== null && (await listProjectsOfLineage(trx, tokenId)).includes(id)) {
    const detail = `Deleting the project ${name} would revoke your token. Use a token of another project.`;
    throw new Problem('project_in_use', detail);
  }
  if (servers > 0) {
    const detail = `The project ${name} has ${counted(servers, 'server')}. Delete ${servers === 1 ? 'it' : 'them'} first.`;
    throw new Problem('project_in_use', detail);
  }
  return { ...project, deleted_at: await markProjectDeleted(trx, id) };
}

/** Requires unique names under the lock of the project, for which creates of its servers wait. */
async function requireUniqueNames(trx: Trx, { id, name: project }: ProjectRow): Promise<void> {
  const alike = await findServersOfSameName(trx, id);
  if (!alike) return;
  const detail = `The servers ${alike.ids.join(' and ')} of the project ${project} are both called ${alike.name}. Delete one of them first.`;
  throw new Problem('name_taken', detail);
}

async function requireFreeName(trx: Trx, name: string, besidesId?: number): Promise<void> {
  if (!(await isNameTaken(trx, name, besidesId))) return;
  throw new Problem('name_taken', `Another project has the name ${name}. Choose another name.`);
}

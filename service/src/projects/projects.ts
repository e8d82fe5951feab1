import type { ProjectCreate, ProjectUpdate } from '@berth/contract/projects';
import type { Trx } from '../db/connection.ts';
import { Problem } from '../problem.ts';
import {
  insertProject,
  isNameTaken,
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
  return await insertProject(trx, body);
}

/** A quota below what is used holds for what comes: nothing is taken away. */
export async function changeProject(
  trx: Trx,
  id: number,
  body: ProjectUpdate,
): Promise<ProjectRow> {
  if (!(await lockProject(trx, id))) throw projectNotFound(id);
  if (body.name !== undefined) await requireFreeName(trx, body.name, id);
  return await updateProject(trx, id, body);
}

/** Neither one with servers nor that of who asks. Its history stays in the audit log. */
export async function deleteProject(trx: Trx, id: number, ownId: number): Promise<ProjectRow> {
  const project = await lockProject(trx, id);
  if (!project) throw projectNotFound(id);
  if (id === ownId) {
    const detail = 'You act in this project yourself. Delete it with a token of another one.';
    throw new Problem('project_in_use', detail);
  }
  if (project.used_servers > 0) {
    const detail = `The project ${project.name} has ${project.used_servers} servers. Delete them first.`;
    throw new Problem('project_in_use', detail);
  }
  await markProjectDeleted(trx, id);
  return project;
}

async function requireFreeName(trx: Trx, name: string, besidesId?: number): Promise<void> {
  if (!(await isNameTaken(trx, name, besidesId))) return;
  throw new Problem('name_taken', `Another project is called ${name}. Choose another name.`);
}

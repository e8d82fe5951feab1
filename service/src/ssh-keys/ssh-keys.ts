import type { SshKeyCreate, SshKeyUpdate } from '@berth/contract/ssh-keys';
import type { Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';
import { invalidFields, Problem } from '../problems/problem.ts';
import { projectNotFound } from '../projects/projects.ts';
import { lockProject } from '../projects/queries.ts';
import { type PublicKey, readPublicKey, UnusableKey } from './public-key.ts';
import {
  countSshKeys,
  findSameSshKey,
  findSshKey,
  findSshKeysNamed,
  insertSshKey,
  removeSshKey,
  renameSshKey,
  type ShownSshKey,
} from './queries.ts';

/** Of a project. Nobody can keep track of more. */
const maxSshKeys = 100;

export function sshKeyNotFound(id: number | string): Problem {
  return new Problem('ssh_key_not_found', `No SSH key has the id ${id}.`);
}

/**
 * Creates an SSH key. Throws 422 for a key that is not usable, `ssh_key_exists` (409) if the project has the key under
 * any name, `name_taken` (409), and `quota_exceeded` (403) if it has too many.
 */
export async function createSshKey(
  trx: Trx,
  project: Project,
  { name, public_key }: SshKeyCreate,
): Promise<ShownSshKey> {
  const key = readKey(public_key);
  await lock(trx, project);
  const same = await findSameSshKey(project, key);
  if (same) {
    const detail = `The project already has this key: it is the SSH key ${same.name} with the id ${same.id}.`;
    throw new Problem('ssh_key_exists', detail);
  }
  await requireFreeName(project, name);
  if ((await countSshKeys(project)) >= maxSshKeys) {
    const detail = `The project has the maximum of ${maxSshKeys} SSH keys. Delete some that are not needed.`;
    throw new Problem('quota_exceeded', detail);
  }
  return await insertSshKey(project, { name, ...key });
}

/** Renames it. Servers keep showing the name that it had when they were created. */
export async function changeSshKey(
  trx: Trx,
  project: Project,
  id: number,
  { name }: SshKeyUpdate,
): Promise<{ before: ShownSshKey; row: ShownSshKey }> {
  await lock(trx, project);
  const before = await requireSshKey(project, id);
  if (name === undefined) return { before, row: before };
  await requireFreeName(project, name, id);
  await renameSshKey(project, id, name);
  return { before, row: { ...before, name } };
}

/** Servers keep it, and creates that were requested with it get it. */
export async function deleteSshKey(trx: Trx, project: Project, id: number): Promise<ShownSshKey> {
  await lock(trx, project);
  const row = await requireSshKey(project, id);
  await removeSshKey(project, id);
  return row;
}

function readKey(text: string): PublicKey {
  try {
    return readPublicKey(text);
  } catch (error) {
    if (!(error instanceof UnusableKey)) throw error;
    throw invalidFields([{ pointer: '/public_key', detail: error.message }]);
  }
}

/** Held until the transaction ends, so that of two concurrent requests the second one finds what the first did. */
async function lock(trx: Trx, project: Project): Promise<void> {
  if (!(await lockProject(trx, project.id))) throw projectNotFound(project.id);
}

async function requireSshKey(project: Project, id: number): Promise<ShownSshKey> {
  const row = await findSshKey(project, id);
  if (!row) throw sshKeyNotFound(id);
  return row;
}

async function requireFreeName(project: Project, name: string, besidesId?: number): Promise<void> {
  const [other] = await findSshKeysNamed(project, name);
  if (!other || other.id === besidesId) return;
  const detail = `The SSH key ${other.id} of this project already has the name ${other.name}. Choose another name.`;
  throw new Problem('name_taken', detail);
}

import { type GeneratedAlways, sql } from 'kysely';
import { beginsWith, isNamed, isOneOf } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Project } from '../db/project.ts';
import type { Timestamp } from '../db/schema/timestamp-schema.ts';
import type { PublicKey } from './public-key.ts';

interface SshKeysTable {
  id: GeneratedAlways<number>;
  project_id: number;
  name: string;
  public_key: string;
  /** `SHA256:` and 43 characters. */
  fingerprint: string;
  created_at: Timestamp;
}

declare module '../db/schema/schema.ts' {
  interface Database {
    ssh_keys: SshKeysTable;
  }
}

function shownKeys(project: Project) {
  return project
    .select('ssh_keys')
    .select(['id', 'name', 'public_key', 'fingerprint', 'project_id', 'created_at']);
}

export type ShownSshKey = NonNullable<Awaited<ReturnType<typeof findSshKey>>>;

/** Ordered by id. */
export function listSshKeys(
  project: Project,
  { q }: { q?: string | undefined } = {},
): Listing<ShownSshKey> {
  return listing(shownKeys(project).where(beginsWith(['name'], q)), { id: 'id' });
}

export async function findSshKey(project: Project, id: number) {
  return await shownKeys(project).where('id', '=', id).executeTakeFirst();
}

/** Those among these ids that the project has, in any order. */
export async function findSshKeys(project: Project, ids: number[]): Promise<ShownSshKey[]> {
  if (ids.length === 0) return [];
  return await shownKeys(project).where(isOneOf('id', ids)).execute();
}

/** One at most. */
export async function findSshKeysNamed(project: Project, name: string): Promise<ShownSshKey[]> {
  return await shownKeys(project).where(isNamed('name', name)).execute();
}

export async function findSameSshKey(project: Project, { fingerprint }: PublicKey) {
  return await shownKeys(project).where('fingerprint', '=', fingerprint).executeTakeFirst();
}

export async function countSshKeys(project: Project): Promise<number> {
  const { count } = await project
    .select('ssh_keys')
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertSshKey(
  project: Project,
  { name, text, fingerprint }: PublicKey & { name: string },
): Promise<ShownSshKey> {
  return await project
    .insert('ssh_keys', { name, public_key: text, fingerprint })
    .returning(['id', 'name', 'public_key', 'fingerprint', 'project_id', 'created_at'])
    .executeTakeFirstOrThrow();
}

export async function renameSshKey(project: Project, id: number, name: string): Promise<void> {
  await project.update('ssh_keys').set({ name }).where('id', '=', id).execute();
}

export async function removeSshKey(project: Project, id: number): Promise<void> {
  await project.delete('ssh_keys').where('id', '=', id).execute();
}

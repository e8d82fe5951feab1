import { sql } from 'kysely';
import type { Scope } from '../callers/app-types.ts';
import { beginsWith, isNamed, isOneOf } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Project, ProjectRows } from '../db/project.ts';

function shownTokens(project: Project) {
  return project
    .select('tokens')
    .select(['id', 'name', 'project_id', 'created_by', 'parent_id'])
    .select(['expires_at', 'last_used_at', 'created_at'])
    .select(sql<Scope[]>`scopes`.as('scopes'))
    .select(sql<string[]>`allowed_networks::text[]`.as('allowed_networks'))
    .where('revoked_at', 'is', null);
}

export type ShownToken = NonNullable<Awaited<ReturnType<typeof findToken>>>;

/** Tokens that were not revoked, by id. */
export function listTokens(
  project: Project,
  { q }: { q?: string | undefined } = {},
): Listing<ShownToken> {
  return listing(shownTokens(project).where(beginsWith(['name'], q)), { id: 'id' });
}

/** Tokens with a name that were not revoked, ten at most. */
export async function findTokensNamed(project: Project, name: string) {
  return await shownTokens(project)
    .clearSelect()
    .select(['id', 'name'])
    .where(isNamed('name', name))
    .orderBy('id')
    .limit(10)
    .execute();
}

/** The ids among these that are of tokens, including revoked ones. */
export async function knownTokens(rows: ProjectRows, ids: number[]): Promise<number[]> {
  const query = rows.select('tokens').select('id').where(isOneOf('id', ids));
  return (await query.execute()).map(({ id }) => id);
}

export async function findToken(project: Project, id: number) {
  return await shownTokens(project).where('id', '=', id).executeTakeFirst();
}

export interface NewToken {
  name: string;
  hash: Buffer;
  scopes: readonly Scope[];
  expiresAt: string | null;
  allowedNetworks: readonly string[];
  createdBy: number | null;
  parentId: number | null;
}

/** The number of valid tokens. */
export async function countTokens(project: Project): Promise<number> {
  const { count } = await project
    .select('tokens')
    .select(sql<number>`count(*)`.as('count'))
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`(expires_at is null or expires_at > now())`)
    .executeTakeFirstOrThrow();
  return count;
}

/** Undefined if its parent is no longer valid: a revocation sees this token, or is seen here. */
export async function insertToken(project: Project, token: NewToken): Promise<number | undefined> {
  const { parentId } = token;
  const row = await project
    .insert('tokens', {
      name: token.name,
      secret_sha256: token.hash,
      scopes: [...token.scopes],
      expires_at: token.expiresAt,
      // Clears the host bits, as PostgreSQL requires.
      allowed_networks: sql<string[]>`array(
        select network(given::inet) from unnest(${[...token.allowedNetworks]}::text[]) given)`,
      created_by: token.createdBy,
      parent_id: sql<number | null>`(
        select id from tokens where id = ${parentId}::bigint and revoked_at is null for share)`,
    })
    .returning(['id', 'parent_id'])
    .executeTakeFirstOrThrow();
  return row.parent_id === parentId ? row.id : undefined;
}

/** A token and its ancestors, in any project. */
function ancestorsOf(id: number) {
  return sql`(
    with recursive lineage as (
      select id, parent_id from tokens where id = ${id}
      union all
      select t.id, t.parent_id from tokens t join lineage on t.id = lineage.parent_id
    )
    select id from lineage)`;
}

/**
 * Whether a token of the project is another one or its descendant, and whether that one is its
 * descendant.
 */
export async function findKinship(
  project: Project,
  id: number,
  otherId: number,
): Promise<{ isOf: boolean; isMakerOf: boolean }> {
  return await project
    .select('tokens')
    .select(sql<boolean>`${otherId}::bigint in ${ancestorsOf(id)}`.as('isOf'))
    .select(sql<boolean>`id <> ${otherId} and id in ${ancestorsOf(otherId)}`.as('isMakerOf'))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** A trigger also revokes the tokens that it created. */
export async function markTokenRevoked(project: Project, id: number): Promise<void> {
  const now = sql<string>`now()`;
  await project.update('tokens').set({ revoked_at: now }).where('id', '=', id).execute();
}

/** How many tokens were revoked with one, including itself, in any project. */
export async function countRevokedWith(project: Project, id: number): Promise<number> {
  const { count } = await project
    .select('tokens')
    .select(
      sql<number>`(
        with recursive revoked as (
          select id, revoked_at from tokens where id = ${id}
          union all
          select t.id, t.revoked_at from tokens t join revoked r on t.parent_id = r.id
          where t.revoked_at = r.revoked_at
        )
        select count(*) from revoked)`.as('count'),
    )
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return count;
}

import { sql } from 'kysely';
import type { Scope } from '../callers/app-types.ts';
import type { WantedProject } from '../callers/wanted-project.ts';
import type { Queryable, Trx } from '../db/connection.ts';
import { millisecondsUntil } from '../db/expiry.ts';
import type { Role } from '../db/schema/people-schema.ts';
import { isWanted } from '../projects/queries.ts';

/** A token that was found by its secret, with what determines whether it is valid. */
export interface FoundToken {
  id: number;
  projectId: number;
  scopes: Scope[];
  /**
   * The user who owns the token, and what they may do in its project now; null if nobody owns it.
   */
  createdBy: number | null;
  isAdmin: boolean;
  role: Role | null;
  expiresAt: string | null;
  isExpired: boolean;
  /** Null if it never expires. */
  expiresInMs: number | null;
  allowedNetworks: string[];
  /** The project that the request names, if any. */
  wantedProjectId: number | null;
  /** Whether its use was recorded within the last minute. */
  isNoted: boolean;
}

/**
 * Undefined if the token was revoked, if its project was deleted, and if its user was disabled or
 * is no longer a member.
 */
export async function findTokenByHash(
  db: Queryable,
  hash: Buffer,
  wanted: WantedProject = { id: 0 },
): Promise<FoundToken | undefined> {
  return await db
    .selectFrom('tokens')
    .innerJoin('projects', 'projects.id', 'tokens.project_id')
    .leftJoin('users', 'users.id', 'tokens.created_by')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.project_id', '=', 'tokens.project_id')
        .onRef('memberships.user_id', '=', 'users.id'),
    )
    .select(['tokens.id', 'tokens.project_id as projectId', 'expires_at as expiresAt'])
    .select(['created_by as createdBy', 'memberships.role'])
    .select(sql<boolean>`coalesce(users.is_admin, false)`.as('isAdmin'))
    .select(sql<Scope[]>`scopes`.as('scopes'))
    .select(sql<string[]>`allowed_networks::text[]`.as('allowedNetworks'))
    .select(
      sql<number | null>`(select wanted.id from projects wanted
        where wanted.deleted_at is null and ${isWanted('wanted', wanted)})`.as('wantedProjectId'),
    )
    .select(sql<boolean>`coalesce(expires_at <= now(), false)`.as('isExpired'))
    .select(sql<number | null>`${millisecondsUntil('expires_at')}`.as('expiresInMs'))
    .select(sql<boolean>`coalesce(last_used_at > now() - interval '1 minute', false)`.as('isNoted'))
    .where('secret_sha256', '=', hash)
    .where('revoked_at', 'is', null)
    .where('projects.deleted_at', 'is', null)
    .where('users.disabled_at', 'is', null)
    .where(sql<boolean>`(created_by is null or users.is_admin or memberships.role is not null)`)
    .executeTakeFirst();
}

/** A token whether or not it is valid: for the audit log only. */
export async function findTokenInHistory(db: Queryable, hash: Buffer) {
  return await db
    .selectFrom('tokens')
    .select(['id as tokenId', 'project_id as projectId', 'created_by as userId'])
    .select(sql<boolean>`'admin' = any(scopes)`.as('byAdministrator'))
    .where('secret_sha256', '=', hash)
    .executeTakeFirst();
}

/** Returns those of these hashes that belong to sessions, or to tokens that were not revoked. */
export async function findKnownHashes(db: Queryable, hashes: Buffer[]): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    select secret_sha256 as hash from tokens
    where secret_sha256 = any(${hashes}::bytea[]) and revoked_at is null
    union all
    select secret_sha256 from sessions where secret_sha256 = any(${hashes}::bytea[])`.execute(db);
  return rows.map(({ hash }) => hash);
}

/** Records the use of a token, unless another request did so within the last minute. */
export async function recordTokenUse(db: Queryable, id: number): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ last_used_at: sql<string>`now()` })
    .where('id', '=', id)
    .where(sql<boolean>`coalesce(last_used_at < now() - interval '1 minute', true)`)
    .execute();
}

export interface NewToken {
  projectId: number;
  name: string;
  hash: Buffer;
  scopes: string[];
  expiresAt: Date | null;
}

export async function insertToken(db: Queryable, token: NewToken): Promise<number> {
  const { id } = await db
    .insertInto('tokens')
    .values({
      project_id: token.projectId,
      name: token.name,
      secret_sha256: token.hash,
      scopes: token.scopes,
      expires_at: token.expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function listTokens(db: Queryable) {
  return await db
    .selectFrom('tokens')
    .innerJoin('projects', 'projects.id', 'tokens.project_id')
    .select(['tokens.id', 'tokens.name', 'projects.name as project', 'scopes'])
    .select(['tokens.created_at', 'expires_at', 'last_used_at', 'revoked_at'])
    .select(sql<boolean>`coalesce(expires_at <= now(), false)`.as('isExpired'))
    .orderBy('tokens.id')
    .execute();
}

/** Whether there is a valid token with the scope `admin` now, and none once this one is revoked. */
export async function isLastAdminToken(db: Queryable, id: number): Promise<boolean> {
  const { rows } = await sql`
    with recursive goes as (
      select id from tokens where id = ${id}
      union all
      select t.id from tokens t join goes on t.parent_id = goes.id
    ), held as (
      select tokens.id from tokens
      join projects on projects.id = tokens.project_id and projects.deleted_at is null
      left join users on users.id = tokens.created_by
      where 'admin' = any(scopes) and revoked_at is null
        and (expires_at is null or expires_at > now())
        and (created_by is null or users.is_admin and users.disabled_at is null)
    )
    select exists (select from held) and not exists (
      select from held where id not in (select id from goes)) as "isLast"`.execute(db);
  const [{ isLast }] = rows as [{ isLast: boolean }];
  return isLast;
}

/** Returns the project of the token; undefined if there was none to revoke. */
export async function revokeToken(db: Queryable, id: number): Promise<number | undefined> {
  const row = await db
    .updateTable('tokens')
    .set({ revoked_at: sql<string>`now()` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('project_id')
    .executeTakeFirst();
  return row?.project_id;
}

/**
 * Revokes all tokens with a name except this one, which becomes the parent of those that they
 * created.
 */
export async function supersedeTokensNamed(trx: Trx, name: string, id: number): Promise<void> {
  const others = trx
    .selectFrom('tokens')
    .select('id')
    .where('name', '=', name)
    .where('id', '<>', id)
    .where('revoked_at', 'is', null);
  await trx
    .updateTable('tokens')
    .set({ parent_id: id })
    .where('parent_id', 'in', others)
    .where('revoked_at', 'is', null)
    .execute();
  await trx
    .updateTable('tokens')
    .set({ revoked_at: sql<string>`now()` })
    .where('id', 'in', others)
    .execute();
}

/** Serialises creating and revoking tokens of a name, until the transaction ends. */
export async function lockTokensNamed(trx: Trx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`tokens ${name}`}, 0))`.execute(trx);
}

/**
 * The state of the tokens with a name that were not created over the API; undefined if there was
 * none.
 */
export async function statusOfTokensNamed(
  trx: Trx,
  name: string,
): Promise<'holds' | 'revoked' | undefined> {
  const { areAny, areRevoked } = await trx
    .selectFrom('tokens')
    .select(sql<boolean>`count(*) > 0`.as('areAny'))
    .select(sql<boolean>`coalesce(bool_and(revoked_at is not null), false)`.as('areRevoked'))
    .where('name', '=', name)
    .where('created_by', 'is', null)
    .where('parent_id', 'is', null)
    .executeTakeFirstOrThrow();
  if (areRevoked) return 'revoked';
  return areAny ? 'holds' : undefined;
}

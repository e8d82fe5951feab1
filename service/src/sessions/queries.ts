import { sql } from 'kysely';
import type { WantedProject } from '../callers/wanted-project.ts';
import type { Queryable, Trx } from '../db/connection.ts';
import { millisecondsUntil } from '../db/expiry.ts';
import { listing } from '../db/listing.ts';
import type { Role } from '../db/schema/people-schema.ts';
import { isWanted } from '../projects/queries.ts';
import { sessionEnded } from './ended.ts';

/** A session ends 12 hours after its last use, and 30 days after it began. */
const fromNow = sql<string>`now() + interval '12 hours'`;
const extended = sql<string>`least(${fromNow}, created_at + interval '30 days')`;

/** How long a confirmation lasts: somebody else may use the browser later, or steal its cookie. */
export const confirmedSeconds = 600;
const confirmedFor = sql`make_interval(secs => ${sql.lit(confirmedSeconds)})`;

export interface NewSession {
  hash: Buffer;
  userId: number;
  address: string;
  userAgent: string;
  /** When they authenticated, if not now. */
  provenAt?: Date | undefined;
}

/** Limits the sessions that a program can create; nobody uses so many browsers. */
const maxSessions = 50;

/** Inserts a session, and ends the oldest ones of the user if there are too many. */
export async function insertSession(trx: Trx, session: NewSession): Promise<void> {
  await trx
    .insertInto('sessions')
    .values({
      secret_sha256: session.hash,
      user_id: session.userId,
      address: session.address,
      user_agent: session.userAgent,
      expires_at: fromNow,
      // The time must not be in the future, whatever the clock of a provider says.
      ...(session.provenAt && { confirmed_at: sql<string>`least(now(), ${session.provenAt})` }),
    })
    .execute();
  await sql`
    delete from sessions where user_id = ${session.userId} and id in (
      select id from sessions where user_id = ${session.userId}
      order by id desc offset ${maxSessions})`.execute(trx);
}

/** A session that was found by its secret, and what its user may do in the requested project. */
export interface FoundSession {
  id: number;
  userId: number;
  email: string;
  name: string;
  isAdmin: boolean;
  hasPassword: boolean;
  expiresAt: string;
  expiresInMs: number;
  /** The requested project, otherwise the first of the user's; null if they can see none. */
  projectId: number | null;
  role: Role | null;
  /** Whether the user has confirmed their identity within the last ten minutes. */
  isConfirmed: boolean;
  /** Whether its use was recorded within the last minute. */
  isNoted: boolean;
}

/** Undefined if the session has ended, or its user was disabled. */
export async function findSession(
  db: Queryable,
  hash: Buffer,
  wanted?: WantedProject,
): Promise<FoundSession | undefined> {
  const isOpen = sql`projects.deleted_at is null
    and ${wanted ? isWanted('projects', wanted) : sql`true`}`;
  const { rows } = await sql<FoundSession>`
    select s.id, s.user_id as "userId", u.email, u.name, u.is_admin as "isAdmin",
      u.password_hash is not null as "hasPassword",
      s.expires_at as "expiresAt", ${millisecondsUntil('s.expires_at')} as "expiresInMs",
      p.id as "projectId", p.role, s.confirmed_at > now() - ${confirmedFor} as "isConfirmed",
      s.last_used_at > now() - interval '1 minute' as "isNoted"
    from sessions s
    join users u on u.id = s.user_id
    left join lateral (
      -- Their own come first, as projects/members/queries.ts lists them.
      (select projects.id, memberships.role, 1 as rank
        from memberships
        join projects on projects.id = memberships.project_id
        where memberships.user_id = u.id and ${isOpen}
        order by memberships.created_at, projects.id
        limit 1)
      union all
      (select projects.id, null, 2
        from projects
        -- Administrators see all.
        where u.is_admin and ${isOpen}
        order by projects.id
        limit 1)
      order by rank
      limit 1
    ) p on true
    where s.secret_sha256 = ${hash} and s.expires_at > now() and u.disabled_at is null
  `.execute(db);
  return rows[0];
}

/** Records the use of a session, unless another request did so within the last minute. */
export async function recordSessionUse(db: Queryable, id: number): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ last_used_at: sql<string>`now()`, expires_at: extended })
    .where('id', '=', id)
    .where(sql<boolean>`last_used_at <= now() - interval '1 minute'`)
    .execute();
}

/** Returns until when the confirmation lasts. */
export async function confirmSession(trx: Trx, id: number): Promise<string> {
  const row = await trx
    .updateTable('sessions')
    .set({ confirmed_at: sql<string>`now()` })
    .where('id', '=', id)
    .returning(sql<string>`confirmed_at + ${confirmedFor}`.as('until'))
    .executeTakeFirst();
  if (!row) throw sessionEnded();
  return row.until;
}

/** Valid sessions, the newest first. */
export function listSessions(db: Queryable, userId: number) {
  const query = db
    .selectFrom('sessions')
    .select(['id', 'address', 'user_agent', 'created_at', 'last_used_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', sql<string>`now()`);
  return listing(query, { id: 'id', descending: true });
}

export type ShownSession = Awaited<ReturnType<ReturnType<typeof listSessions>['page']>>[number];

export async function deleteSession(db: Queryable, by: { id: number } | { hash: Buffer }) {
  const query = db.deleteFrom('sessions');
  await ('id' in by
    ? query.where('id', '=', by.id)
    : query.where('secret_sha256', '=', by.hash)
  ).execute();
}

/** Deletes ended sessions. Returns how many there were. */
export async function deleteEndedSessions(db: Queryable): Promise<number> {
  const past = sql<string>`now()`;
  const sessions = await db
    .deleteFrom('sessions')
    .where('expires_at', '<=', past)
    .executeTakeFirst();
  const states = await db
    .deleteFrom('sign_in_states')
    .where('expires_at', '<=', past)
    .executeTakeFirst();
  return Number(sessions.numDeletedRows) + Number(states.numDeletedRows);
}

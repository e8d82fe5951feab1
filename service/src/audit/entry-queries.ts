import type { AuditAction } from '@berth/contract/actions';
import type { AuditedNoun } from '@berth/contract/nouns';
import { sql } from 'kysely';
import { machineUser } from '../config/config.ts';
import type { Queryable, Trx } from '../db/connection.ts';
import type { Details } from './details.ts';

/** What a change affected. */
export interface AuditTarget {
  kind: AuditedNoun;
  id: number;
}

export interface AuditEntry {
  projectId: number | null;
  tokenId: number | null;
  /** The user who signed in or tried to, or who owns the token. */
  userId: number | null;
  source: 'api' | 'command_line' | 'berth';
  /** Whether they were authorized as an administrator. */
  byAdministrator: boolean;
  address: string | null;
  /** The route's `operationId`, or the name of an action of Berth itself. */
  action: string;
  target: AuditTarget | null;
  /** The HTTP status of the response. */
  status: number;
  /** Why it was refused. */
  code?: string | undefined;
  requestId: string | null;
  /** What was set or changed, if the action does not say it. Must be short, and must not contain secrets. */
  details?: Details | undefined;
  /** For refusals that are aggregated into one entry. */
  counted?: {
    count: number;
    /** The number of addresses that they came from. */
    addresses: number;
    firstSecondsAgo: number;
    lastSecondsAgo: number;
  };
}

/**
 * Entries are only ever added: the table refuses anything else. The view `audit_log` also has those of earlier releases.
 */
export async function insertAuditEntry(db: Queryable, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('audit_entries')
    .values({
      project_id: entry.projectId,
      token_id: entry.tokenId,
      user_id: entry.userId,
      source: entry.source,
      by_administrator: entry.byAdministrator,
      address: entry.address,
      action: entry.action,
      target_kind: entry.target?.kind ?? null,
      target_id: entry.target?.id ?? null,
      status: entry.status,
      code: entry.code ?? null,
      request_id: entry.requestId,
      details: isEmpty(entry.details) ? null : JSON.stringify(entry.details),
      ...(entry.counted && {
        count: entry.counted.count,
        first_at: secondsAgo(entry.counted.firstSecondsAgo),
        last_at: secondsAgo(entry.counted.lastSecondsAgo),
        address_count: entry.counted.addresses,
      }),
    })
    .execute();
}

/** By the database's clock, which all entries use. */
function secondsAgo(seconds: number) {
  return sql<string>`now() - make_interval(secs => ${seconds})`;
}

function isEmpty(details: Details = {}): boolean {
  return Object.keys(details).length === 0;
}

/** Enters a change by a command-line tool, with the user who ran it, in the transaction of the change. */
export async function insertToolEntry(
  trx: Trx,
  entry: Pick<AuditEntry, 'projectId' | 'target' | 'details'> & {
    action: AuditAction;
    status?: number;
  },
): Promise<void> {
  await insertAuditEntry(trx, {
    status: 200,
    ...entry,
    details: { ...entry.details, machine_user: machineUser() },
    tokenId: null,
    userId: null,
    source: 'command_line',
    byAdministrator: true,
    address: null,
    requestId: null,
  });
}

/** An action of Berth itself on a server. */
export interface OwnEntry {
  projectId: number;
  serverId: number;
  details: Details;
}

/**
 * Enters them in the transaction of the change. At the beginning of a month there may be very many.
 */
export async function insertOwnEntries(
  trx: Trx,
  action: AuditAction,
  entries: OwnEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await sql`
    insert into audit_entries
      (project_id, source, by_administrator, action, target_kind, target_id, status, details)
    select "projectId", 'berth', false, ${action}, 'server', "serverId", 200, details
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
      as entry ("projectId" bigint, "serverId" bigint, details jsonb)`.execute(trx);
}

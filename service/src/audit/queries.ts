import type { AuditFilters, AuditTargetKind } from '@berth/contract/audit';
import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';
import { type After, isBeyond } from '../db/keyset.ts';

/** What a change was made to. */
export interface AuditTarget {
  kind: AuditTargetKind;
  id: number;
}

export interface AuditEntry {
  projectId: number | null;
  tokenId: number | null;
  /** Who signed in or tried to, or whose token it is. */
  userId: number | null;
  address: string;
  /** The route's `operationId`. */
  action: string;
  target: AuditTarget | null;
  /** Of the answer. */
  status: number;
  /** Why it was refused. */
  code?: string | undefined;
  requestId: string;
}

/** Entries are only ever added: the table refuses anything else. */
export async function insertAuditEntry(db: Queryable, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('audit_log')
    .values({
      project_id: entry.projectId,
      token_id: entry.tokenId,
      user_id: entry.userId,
      address: entry.address,
      action: entry.action,
      target_kind: entry.target?.kind ?? null,
      target_id: entry.target?.id ?? null,
      status: entry.status,
      code: entry.code ?? null,
      request_id: entry.requestId,
    })
    .execute();
}

export interface AuditPage {
  /** Undefined: of all. */
  projectId: number | undefined;
  filters: AuditFilters;
  descending: boolean;
  after: After | undefined;
  limit: number;
}

/** One page, in the order that it happened, or the other way round. */
export async function listAuditEntries(db: Queryable, page: AuditPage) {
  const { projectId, filters, descending, after, limit } = page;
  const order = { sort: 'id', id: 'id', descending };
  let query = db
    .selectFrom('audit_log')
    .select(['id', 'at', 'project_id', 'token_id', 'user_id', 'action', 'target_kind', 'target_id'])
    .select(['status', 'code', 'request_id'])
    .select(sql<string>`host(address)`.as('address'));
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  if (filters.action) query = query.where('action', '=', filters.action);
  if (filters.token_id) query = query.where('token_id', '=', filters.token_id);
  if (filters.user_id) query = query.where('user_id', '=', filters.user_id);
  if (filters.target_kind) query = query.where('target_kind', '=', filters.target_kind);
  if (filters.target_id) query = query.where('target_id', '=', filters.target_id);
  if (filters.from) query = query.where('at', '>=', filters.from);
  if (filters.to) query = query.where('at', '<', filters.to);
  if (after) query = query.where(isBeyond(after, order));
  return await query
    .orderBy('id', descending ? 'desc' : 'asc')
    .limit(limit)
    .execute();
}

export type AuditRow = Awaited<ReturnType<typeof listAuditEntries>>[number];

import type { AuditFilters } from '@berth/contract/audit';
import { sql } from 'kysely';
import { type After, isBeyond } from '../db/keyset.ts';
import type { ProjectRows } from '../db/project.ts';

export interface AuditPage {
  filters: AuditFilters;
  descending: boolean;
  after: After | undefined;
  limit: number;
}

/** One page, in the order that it happened, or the other way round. */
export async function listAuditEntries(rows: ProjectRows, page: AuditPage) {
  const { filters, descending, after, limit } = page;
  const order = { sort: 'id', id: 'id', descending };
  let query = rows
    .select('audit_log')
    .select(['id', 'at', 'project_id', 'token_id', 'user_id', 'action', 'target_kind', 'target_id'])
    .select(['status', 'code', 'request_id'])
    .select(sql<string>`host(address)`.as('address'));
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

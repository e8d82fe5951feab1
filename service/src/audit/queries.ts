import type { AuditFilters } from '@berth/contract/audit';
import { sql } from 'kysely';
import { type After, isBeyond } from '../db/keyset.ts';
import type { ProjectRows } from '../db/project.ts';

export interface AuditPage {
  filters: AuditFilters;
  /** Else not those of administrators who are no members of the project. */
  showsAllAddresses: boolean;
  descending: boolean;
  after: After | undefined;
  limit: number;
}

function shownAddress(showsAll: boolean) {
  return sql<string | null>`case when ${showsAll}
    or exists (
      select from memberships m
      where m.project_id = audit_log.project_id and m.user_id = audit_log.user_id)
    or not (by_administrator
      or exists (select from users u where u.id = audit_log.user_id and u.is_admin))
    then host(address) end`;
}

/** One page, in the order that it happened, or the other way round. */
export async function listAuditEntries(rows: ProjectRows, page: AuditPage) {
  const { filters, descending, after, limit } = page;
  const address = shownAddress(page.showsAllAddresses);
  const order = { sort: 'id', id: 'id', descending };
  let query = rows
    .select('audit_log')
    .select(['id', 'at', 'project_id', 'token_id', 'user_id', 'action', 'target_kind', 'target_id'])
    .select(['status', 'code', 'request_id', 'source', 'details', 'count', 'first_at', 'last_at'])
    .select(address.as('address'));
  if (filters.project_id) query = query.where('project_id', '=', filters.project_id);
  if (filters.action) query = query.where('action', '=', filters.action);
  if (filters.token_id) query = query.where('token_id', '=', filters.token_id);
  if (filters.user_id) query = query.where('user_id', '=', filters.user_id);
  if (filters.target_kind) query = query.where('target_kind', '=', filters.target_kind);
  if (filters.target_id) query = query.where('target_id', '=', filters.target_id);
  if (filters.status) query = query.where('status', '=', filters.status);
  if (filters.request_id) query = query.where('request_id', '=', filters.request_id);
  if (filters.address) {
    query = query.where(sql<boolean>`${address} = host(${filters.address}::inet)`);
  }
  if (filters.from) query = query.where('at', '>=', filters.from);
  if (filters.to) query = query.where('at', '<', filters.to);
  if (after) query = query.where(isBeyond(after, order));
  return await query
    .orderBy('id', descending ? 'desc' : 'asc')
    .limit(limit)
    .execute();
}

export type AuditRow = Awaited<ReturnType<typeof listAuditEntries>>[number];

import type { AuditFilters } from '@berth/contract/audit';
import { sql } from 'kysely';
import { hasAnyOf, isWithin } from '../db/filters.ts';
import { listing } from '../db/listing.ts';
import type { ProjectRows } from '../db/project.ts';

interface Shown {
  /** Else not those of administrators who are no members of the project. */
  showsAllAddresses: boolean;
  descending: boolean;
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

/** None of what no request did. */
const addressCount = sql<number>`coalesce(address_count, num_nonnulls(audit_log.address))`;

/** In the order that it happened, or the other way round. */
export function listAuditEntries(
  rows: ProjectRows,
  filters: AuditFilters,
  { showsAllAddresses, descending }: Shown,
) {
  const address = shownAddress(showsAllAddresses);
  const { project_id, action, token_id, user_id, target_kind, target_id, status } = filters;
  const { request_id } = filters;
  const from = filters.address;
  const query = rows
    .select('audit_log')
    .select(['id', 'at', 'project_id', 'token_id', 'user_id', 'action', 'target_kind', 'target_id'])
    .select(['status', 'code', 'request_id', 'source', 'details', 'count', 'first_at', 'last_at'])
    .select([address.as('address'), addressCount.as('address_count')])
    .where(hasAnyOf({ project_id, action, token_id, user_id, target_kind, target_id, status }))
    .where(hasAnyOf({ request_id }))
    .where(isWithin('at', filters));
  const shown = from
    ? query.where(
        sql<boolean>`${address} in (select host(given) from unnest(${from}::inet[]) given)`,
      )
    : query;
  return listing(shown, { id: 'id', descending });
}

export type AuditRow = Awaited<ReturnType<ReturnType<typeof listAuditEntries>['page']>>[number];

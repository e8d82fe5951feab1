import type { AuditFilters } from '@berth/contract/audit';
import { type RawBuilder, sql } from 'kysely';
import { hasAnyOf, isWithin } from '../db/filters.ts';
import { listing } from '../db/listing.ts';
import type { ProjectRows } from '../db/project.ts';
import type { Details } from './details.ts';

interface Shown {
  /**
   * Otherwise the addresses of administrators who are not members of the project are hidden, and so are the users who
   * ran tools on the machine.
   */
  showsAllAddresses: boolean;
  descending: boolean;
}

/**
 * `exists`, evaluated for each row by an index: PostgreSQL would otherwise read the whole table for
 * the few rows of a page.
 */
const isThere = (which: RawBuilder<unknown>) =>
  sql<boolean>`coalesce((select true from ${which} limit 1), false)`;

function shownAddress(showsAll: boolean) {
  return sql<string | null>`case when ${showsAll}
    or ${isThere(sql`memberships m
      where m.project_id = audit_log.project_id and m.user_id = audit_log.user_id`)}
    or not (by_administrator
      or ${isThere(sql`users u where u.id = audit_log.user_id and u.is_admin`)})
    then host(address) end`;
}

const shownDetails = (showsAll: boolean) =>
  sql<Details | null>`case when ${showsAll} then details
    else nullif(details - 'machine_user', '{}') end`;

/** Null for entries that no request made. */
const addressCount = sql<number>`coalesce(address_count, num_nonnulls(audit_log.address))`;

/** So that one query reads a page of 100. Entries are short. */
const rowsAtFirst = 100;

/** Ordered by time, ascending or descending. */
export function listAuditEntries(
  rows: ProjectRows,
  filters: AuditFilters,
  { showsAllAddresses, descending }: Shown,
) {
  const address = shownAddress(showsAllAddresses);
  const { project_id, action, token_id, user_id, target_kind, target_id, status } = filters;
  const { request_id, address: from } = filters;
  const query = rows
    .select('audit_log')
    .select(['id', 'at', 'project_id', 'token_id', 'user_id', 'action', 'target_kind', 'target_id'])
    .select(['status', 'code', 'request_id', 'source', 'count', 'first_at', 'last_at'])
    .select([address.as('address'), addressCount.as('address_count')])
    .select(shownDetails(showsAllAddresses).as('details'))
    .where(hasAnyOf({ project_id, action, token_id, user_id, target_kind, target_id, status }))
    .where(hasAnyOf({ request_id }))
    .where(isWithin('at', filters));
  const shown = from
    ? query
        // Uses the index, and only for rows that are shown.
        .where(sql<boolean>`audit_log.address = any(${from}::inet[])`)
        .where(sql<boolean>`${address} is not null`)
    : query;
  return { ...listing(shown, { id: 'id', descending }), rowsAtFirst };
}

export type AuditRow = Awaited<ReturnType<ReturnType<typeof listAuditEntries>['page']>>[number];

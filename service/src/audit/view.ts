import type { AuditEntry } from '@berth/contract/audit';
import type { AuditedNoun } from '@berth/contract/nouns';
import type { AuditRow } from './queries.ts';

/** An audit entry as the API shows it. */
export function auditView(row: AuditRow): AuditEntry {
  const { target_kind: kind, target_id: id } = row;
  return {
    id: row.id,
    at: row.at,
    project_id: row.project_id,
    token_id: row.token_id,
    user_id: row.user_id,
    source: row.source,
    address: row.address,
    address_count: row.address_count,
    action: row.action,
    target: kind === null || id === null ? null : { kind: kind as AuditedNoun, id },
    status: row.status,
    code: row.code,
    request_id: row.request_id,
    details: row.details,
    count: row.count,
    first_at: row.first_at ?? row.at,
    last_at: row.last_at ?? row.at,
  };
}

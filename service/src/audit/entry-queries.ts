import type { AuditTargetKind } from '@berth/contract/audit';
import type { Queryable } from '../db/connection.ts';

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

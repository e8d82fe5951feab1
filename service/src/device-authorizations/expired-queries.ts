import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';

/** Deletes expired ones, and revokes the tokens that no program has fetched. Returns how many there were. */
export async function deleteExpiredAuthorizations(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with expired as (
      delete from device_authorizations where expires_at <= now() returning token_id
    ), revoked as (
      update tokens set revoked_at = now()
      where revoked_at is null and id in (select token_id from expired)
      returning id, project_id
    ), entered as (
      insert into audit_entries
        (project_id, source, by_administrator, action, target_kind, target_id, status, details)
      select project_id, 'berth', false, 'token_revoke', 'token', id, 200,
        '{"reason": "not_fetched"}'::jsonb
      from revoked
    )
    select count(*) as count from expired`.execute(db);
  return rows[0]?.count ?? 0;
}

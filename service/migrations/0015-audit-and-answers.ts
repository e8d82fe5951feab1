import { type Kysely, sql } from 'kysely';

/**
 * What the audit log says besides: what was given, and what the tools of the command line did. And the
 * kept answer that shows a token's secret goes with the token.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table audit_log
      add source text not null default 'api' check (source in ('api', 'command_line')),
      -- Of what was entered before nobody knows: their addresses are kept from tenants, too.
      add by_administrator boolean not null default true,
      add details jsonb,
      -- A tool has neither.
      alter address drop not null,
      alter request_id drop not null;
    alter table audit_log alter source drop default, alter by_administrator drop default;
    create index audit_log_of_request on audit_log (request_id);

    -- Only the answer to who made a token holds a secret.
    create index idempotency_keys_of_token on idempotency_keys ((body ->> 'id'))
      where secret is not null;
    create function forget_answer_of_token() returns trigger language plpgsql as $$
    begin
      delete from idempotency_keys where secret is not null and body ->> 'id' = new.id::text;
      return null;
    end $$;
    create trigger forget_answer after update of revoked_at on tokens
      for each row when (old.revoked_at is null and new.revoked_at is not null)
      execute function forget_answer_of_token();
  `.execute(db);
}

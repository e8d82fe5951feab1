import { type Kysely, sql } from 'kysely';

/** What the audit log says besides: what was given, and what the tools of the command line did. */
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
  `.execute(db);
}

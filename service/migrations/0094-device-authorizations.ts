import { type Kysely, sql } from 'kysely';

/** Programs that ask a person for a token (RFC 8628). Rows last for ten minutes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table device_authorizations (
      device_code_sha256 bytea primary key,
      user_code_sha256 bytea not null unique,
      client_name text not null,
      -- Where the program has asked from.
      address inet not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      is_denied boolean not null default false,
      -- Once it is approved. The secret is encrypted, and the row is deleted when it is read.
      token_id bigint references tokens,
      token bytea,
      check ((token_id is null) = (token is null)),
      check (not (is_denied and token_id is not null))
    );
    create index device_authorizations_that_end on device_authorizations (expires_at);
    create index device_authorizations_of_token on device_authorizations (token_id)
      where token_id is not null;
  `.execute(db);
}

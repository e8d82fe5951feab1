import { type Kysely, sql } from 'kysely';

/** People: who they are, what they may in which project, and how they sign in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table users (
      id bigint generated always as identity primary key,
      email text not null,
      name text not null,
      -- argon2id; null: no sign-in with a password.
      password_hash text,
      is_admin boolean not null default false,
      created_at timestamptz not null default now(),
      disabled_at timestamptz,
      -- The row stays for what its history refers to, without what tells who it was.
      deleted_at timestamptz
    );
    create unique index one_user_of_an_email on users (lower(email)) where deleted_at is null;

    create table memberships (
      project_id bigint not null references projects,
      user_id bigint not null references users,
      role text not null check (role in ('owner', 'member', 'viewer')),
      created_at timestamptz not null default now(),
      primary key (project_id, user_id)
    );
    create index memberships_of_user on memberships (user_id);

    -- Who a person is to an OpenID provider.
    create table identities (
      issuer text not null,
      subject text not null,
      user_id bigint not null references users,
      created_at timestamptz not null default now(),
      primary key (issuer, subject)
    );
    create index identities_of_user on identities (user_id);

    create table passkeys (
      id bigint generated always as identity primary key,
      user_id bigint not null references users,
      credential_id bytea not null unique,
      public_key bytea not null,
      counter bigint not null,
      transports text[] not null default '{}',
      name text not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz
    );
    create index passkeys_of_user on passkeys (user_id);

    create table sessions (
      id bigint generated always as identity primary key,
      -- Of what is in the cookie.
      secret_sha256 bytea not null unique,
      user_id bigint not null references users,
      address inet not null,
      user_agent text not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz not null default now(),
      expires_at timestamptz not null
    );
    create index sessions_of_user on sessions (user_id, id);
    create index sessions_that_end on sessions (expires_at);

    -- What a sign-in under way must find again: used once, and soon.
    create table sign_in_states (
      secret_sha256 bytea primary key,
      kind text not null,
      -- Encrypted.
      data bytea not null,
      expires_at timestamptz not null
    );
    create index sign_in_states_that_end on sign_in_states (expires_at);

    alter table tokens add created_by bigint references users;
    create index tokens_of_user on tokens (created_by) where created_by is not null;
    alter table audit_log add user_id bigint references users;
    create index audit_log_of_user on audit_log (user_id, id) where user_id is not null;
  `.execute(db);
}

import { type Kysely, sql } from 'kysely';

/** What a token made ends with it, whoever ends it; sessions know when somebody last proved who they are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The token that made it; null: a person, or the command line.
    alter table tokens add parent_id bigint references tokens;
    create index tokens_of_parent on tokens (parent_id) where parent_id is not null;

    create function revoke_descendants() returns trigger language plpgsql as $$
    begin
      -- All at once: a function that calls itself for each generation would end at the stack's.
      with recursive descendants as (
        select id from tokens where parent_id = new.id and revoked_at is null
        union all
        select t.id from tokens t join descendants d on t.parent_id = d.id
        where t.revoked_at is null
      )
      update tokens set revoked_at = new.revoked_at where id in (select id from descendants);
      return null;
    end $$;
    create trigger revoke_descendants after update of revoked_at on tokens
      for each row when (old.revoked_at is null and new.revoked_at is not null)
      execute function revoke_descendants();

    -- When its person last proved who they are: by signing in, or once more.
    alter table sessions add confirmed_at timestamptz;
    update sessions set confirmed_at = created_at;
    alter table sessions alter confirmed_at set default now(), alter confirmed_at set not null;

    -- A to Z alone, whatever the locale of the database.
    drop index one_user_of_an_email;
    create unique index one_user_of_an_email on users (lower(email collate "C"))
      where deleted_at is null;
  `.execute(db);
}

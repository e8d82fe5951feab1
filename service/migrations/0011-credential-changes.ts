import { type Kysely, sql } from 'kysely';

/**
 * Tells the services when something changes by which they let a token or a session in, whoever
 * changes it. Uses and counters, which change all the time, decide nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_of_credentials() returns trigger language plpgsql as $$
      begin
        -- However many rows change, a transaction sends it once.
        perform pg_notify('berth', '{"name": "credentials_changed", "payload": {}}');
        return null;
      end
    $$;

    create trigger credentials_changed after update on tokens for each row
      when (to_jsonb(old) - 'last_used_at' is distinct from to_jsonb(new) - 'last_used_at')
      execute function tell_of_credentials();
    create trigger credentials_gone after delete on tokens for each row
      execute function tell_of_credentials();

    -- A use extends a session. Who knows the earlier end will ask in time.
    create trigger credentials_changed after update on sessions for each row
      when (new.expires_at < old.expires_at or to_jsonb(old) - '{last_used_at,expires_at}'::text[]
        is distinct from to_jsonb(new) - '{last_used_at,expires_at}'::text[])
      execute function tell_of_credentials();
    create trigger credentials_gone after delete on sessions for each row
      execute function tell_of_credentials();

    create trigger credentials_changed after update or delete on users for each row
      execute function tell_of_credentials();
    create trigger credentials_changed after insert or update or delete on memberships for each row
      execute function tell_of_credentials();

    create trigger credentials_changed after update on projects for each row
      when (old.deleted_at is distinct from new.deleted_at)
      execute function tell_of_credentials();
    create trigger credentials_new_or_gone after insert or delete on projects for each row
      execute function tell_of_credentials();
  `.execute(db);
}

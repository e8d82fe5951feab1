import { type Kysely, sql } from 'kysely';

/** What the servers of a location may reach, and whether the rules of its network say so. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table locations
      -- In names that its engine shows to others, such as that of its network ACL.
      add uuid uuid not null default gen_random_uuid(),
      add allowed_destinations cidr[] not null default '{}',
      add smtp text not null default 'blocked' check (smtp in ('blocked', 'open')),
      -- Grows with each change of what is wanted; the rules say what was wanted at "policy_applied".
      add policy_wanted bigint not null default 1,
      add policy_applied bigint not null default 0,
      -- Why they do not, or not in full.
      add policy_reason text,
      -- Since when they do, or don't.
      add policy_since timestamptz not null default now();

    -- All that the host has, of whichever interface; null until it has told.
    alter table nodes add addresses inet[];

    create function want_network_policy() returns trigger language plpgsql as $$
      begin
        if old.policy_applied = old.policy_wanted and old.policy_reason is null then
          new.policy_since := now();
        end if;
        new.policy_wanted := old.policy_wanted + 1;
        perform pg_notify('berth', json_build_object('name', 'network_policy_wanted',
          'payload', json_build_object('id', new.id))::text);
        return new;
      end
    $$;
    create trigger network_policy_wanted before update on locations for each row
      when ((old.allowed_destinations, old.smtp, old.network, old.network_kind)
        is distinct from (new.allowed_destinations, new.smtp, new.network, new.network_kind))
      execute function want_network_policy();
  `.execute(db);
}

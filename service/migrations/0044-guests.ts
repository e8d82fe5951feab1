import { type Kysely, sql } from 'kysely';

/** What keeps guests from their hosts: how old it is, and that a network has had rules at all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- When all of a node's addresses were last read.
    alter table nodes add addresses_read_at timestamptz;

    -- Public ones of the machines that services run on, which may be no nodes.
    create table service_addresses (
      address inet primary key,
      seen_at timestamptz not null default now()
    );

    -- Whom all IPv6 addresses of its network are open for, URLs of the engine; null until it was looked at.
    alter table locations add ipv6_open_for text[];

    -- Rules of one network say nothing of another.
    create or replace function want_network_policy() returns trigger language plpgsql as $$
      begin
        if old.policy_applied = old.policy_wanted and old.policy_reason is null then
          new.policy_since := now();
        end if;
        new.policy_wanted := old.policy_wanted + 1;
        if (old.network, old.network_kind) is distinct from (new.network, new.network_kind) then
          new.policy_applied := 0;
        end if;
        perform pg_notify('berth', json_build_object('name', 'network_policy_wanted',
          'payload', json_build_object('id', new.id))::text);
        return new;
      end
    $$;
  `.execute(db);
}

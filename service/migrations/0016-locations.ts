import { type Kysely, sql } from 'kysely';

/**
 * Locations that are added, changed and removed while services run, on networks of several kinds; and
 * the certificate by which the engines that are reached over HTTPS know this installation.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table locations
      -- What "network" names: a managed bridge, an OVN network, or a bridge of the hosts themselves.
      add network_kind text not null default 'bridge'
        check (network_kind in ('bridge', 'ovn', 'unmanaged')),
      -- On a bridge of the hosts: the tag of the VLAN that servers are in.
      add vlan integer check (vlan between 1 and 4094),
      -- A location's row stays, since rows of its deleted servers refer to it.
      add removed_at timestamptz,
      add check (vlan is null or network_kind = 'unmanaged');

    -- PEM; the key encrypted.
    alter table installation
      add client_certificate text,
      add client_key bytea,
      add check ((client_certificate is null) = (client_key is null));

    create function tell_of_locations() returns trigger language plpgsql as $$
      begin
        perform pg_notify('berth', '{"name": "locations_changed", "payload": {}}');
        return null;
      end
    $$;

    create trigger locations_new_or_gone after insert or delete on locations for each row
      execute function tell_of_locations();
    -- Of what their watchers enter all the time, nobody needs to be told.
    create trigger locations_changed after update on locations for each row
      when ((old.name, old.engine, old.incus_project, old.storage_pool, old.removed_at)
        is distinct from (new.name, new.engine, new.incus_project, new.storage_pool, new.removed_at))
      execute function tell_of_locations();
    create trigger client_certificate_changed after update on installation for each row
      when (old.client_certificate is distinct from new.client_certificate)
      execute function tell_of_locations();
  `.execute(db);
}

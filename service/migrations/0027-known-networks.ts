import { type Kysely, sql } from 'kysely';

/**
 * From where people signed in of late: tries at their passwords from elsewhere hold nobody up there. A
 * network is an address of IPv4, or a /64 of IPv6.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table known_networks (
      user_id bigint not null references users,
      network cidr not null,
      used_at timestamptz not null default now(),
      primary key (user_id, network)
    );
    create index known_networks_by_use on known_networks (used_at);

    insert into known_networks (user_id, network, used_at)
    select user_id,
      network(set_masklen(address, case family(address) when 4 then 32 else 64 end)) as at,
      max(created_at)
    from sessions group by user_id, at;
  `.execute(db);
}

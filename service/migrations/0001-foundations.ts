import { type Kysely, sql } from 'kysely';

/**
 * The first schema. Rules that must hold whatever the code does are constraints here: an address is
 * held once, a server has one unfinished operation, an idempotency key has one answer.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table projects (
      id bigint generated always as identity primary key,
      name text not null unique,
      created_at timestamptz not null default now()
    );
    insert into projects (name) values ('default');

    create table tokens (
      id bigint generated always as identity primary key,
      project_id bigint not null references projects,
      name text not null,
      secret_sha256 bytea not null unique,
      scopes text[] not null,
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz,
      created_at timestamptz not null default now()
    );

    -- Rows of the installation itself: its id labels our instances in Incus.
    create table installation (
      only_row boolean primary key default true check (only_row),
      id uuid not null default gen_random_uuid(),
      created_at timestamptz not null default now()
    );
    insert into installation default values;

    create table locations (
      id bigint generated always as identity primary key,
      name text not null unique,
      description text not null,
      -- Where its Incus is: {"socket_path"} or {"urls", "server_cert"}.
      engine jsonb not null,
      incus_project text not null,
      storage_pool text not null,
      network text not null,
      min_cpu integer not null default 1,
      max_cpu integer not null,
      min_ram_mb integer not null default 128,
      max_ram_mb integer not null,
      min_disk_gb integer not null default 1,
      max_disk_gb integer not null,
      -- Bytes a server may move in a month, each direction; null is without limit.
      traffic_allowance bigint,
      enabled boolean not null default true,
      -- What the watcher knows: whether the engine answers, since when, and why not.
      reachable boolean not null default false,
      reachable_changed_at timestamptz not null default now(),
      unreachable_reason text,
      created_at timestamptz not null default now()
    );

    create table nodes (
      id bigint generated always as identity primary key,
      location_id bigint not null references locations,
      name text not null,
      -- Its name as a member of a cluster; null where there is none.
      member text,
      status text not null check (status in ('online', 'offline')),
      cpu integer not null,
      ram_mb integer not null,
      updated_at timestamptz not null default now(),
      unique (location_id, name)
    );

    create table operating_systems (
      id bigint generated always as identity primary key,
      slug text not null unique,
      name text not null,
      version text not null,
      type text not null check (type in ('container', 'virtual-machine')),
      architecture text not null,
      -- {"build": "debian-12"} or {"server", "alias"} of a simplestreams server.
      source jsonb not null,
      min_ram_mb integer not null,
      min_disk_gb integer not null,
      enabled boolean not null default true,
      created_at timestamptz not null default now()
    );

    create table servers (
      id bigint generated always as identity primary key,
      uuid uuid not null unique default gen_random_uuid(),
      project_id bigint not null references projects,
      location_id bigint not null references locations,
      os_id bigint not null references operating_systems,
      node_id bigint not null references nodes,
      hostname text not null,
      mac text not null unique,
      cpu integer not null,
      ram_mb integer not null,
      disk_gb integer not null,
      traffic_allowance bigint,
      status text not null
        check (status in ('creating', 'started', 'stopped', 'paused', 'deleting', 'error')),
      real_status text not null default 'not_exists'
        check (real_status in ('started', 'stopped', 'paused', 'error', 'not_exists')),
      error text,
      created_at timestamptz not null default now(),
      -- Set when its create succeeded; from then on its status follows the engine.
      installed_at timestamptz,
      -- A deleted server's row stays: its history is asked for, and its instance must not come back.
      deleted_at timestamptz
    );
    create index servers_of_project on servers (project_id, id) where deleted_at is null;
    create index servers_of_location on servers (location_id) where deleted_at is null;
    create index servers_of_node on servers (node_id) where deleted_at is null;
    create index servers_by_hostname on servers (hostname) where deleted_at is null;

    create table address_pools (
      id bigint generated always as identity primary key,
      location_id bigint not null references locations,
      cidr cidr not null unique,
      gateway inet not null,
      nameservers inet[] not null,
      first inet not null,
      last inet not null,
      -- Taking goes on from here, so that an address rests after its release.
      last_taken inet,
      created_at timestamptz not null default now(),
      check (family(cidr) = family(gateway) and first <= last and first << cidr and last << cidr)
    );

    -- A row is an address held; it goes when the engine confirms that its server's instance is gone.
    create table addresses (
      ip inet primary key,
      pool_id bigint not null references address_pools,
      server_id bigint not null references servers,
      is_primary boolean not null,
      created_at timestamptz not null default now()
    );
    create index addresses_of_server on addresses (server_id);
    create index addresses_of_pool on addresses (pool_id, ip);
    create unique index one_primary_address on addresses (server_id) where is_primary;

    create table operations (
      id bigint generated always as identity primary key,
      project_id bigint not null references projects,
      server_id bigint not null references servers,
      kind text not null,
      status text not null default 'pending'
        check (status in ('pending', 'running', 'succeeded', 'failed', 'superseded')),
      step text not null,
      -- What the steps so far found out; the next ones read it.
      state jsonb not null default '{}',
      progress integer not null default 0 check (progress between 0 and 100),
      message text not null,
      -- {"code", "message"} once it failed.
      error jsonb,
      -- [{"command", "exit_status", "output"}] of a create; never the command's text.
      commands jsonb,
      -- Encrypted at rest, and null as soon as the operation ends.
      secrets bytea,
      attempts integer not null default 0,
      last_error text,
      wake_at timestamptz not null default now(),
      deadline_at timestamptz not null,
      lease_holder uuid,
      lease_until timestamptz,
      -- Grows with each lease: who holds an older one can't write.
      fence bigint not null default 0,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      finished_at timestamptz,
      check ((finished_at is null) = (status in ('pending', 'running'))),
      check (finished_at is null or secrets is null)
    );
    create unique index one_unfinished_operation on operations (server_id) where finished_at is null;
    create index operations_of_server on operations (server_id, id);
    create index operations_of_project on operations (project_id, id);
    create index operations_due on operations (wake_at) where finished_at is null;

    create table idempotency_keys (
      token_id bigint not null references tokens,
      key text not null,
      -- HMAC of method, path and body under the installation's key: a body holds a password.
      request_hmac bytea not null,
      status integer not null,
      headers jsonb not null,
      body jsonb not null,
      created_at timestamptz not null default now(),
      primary key (token_id, key)
    );
    create index idempotency_keys_by_age on idempotency_keys (created_at);

    -- The engine's counters as last read, and what is shown as current use.
    create table usage_current (
      server_id bigint primary key references servers,
      read_at timestamptz not null,
      cpu_seconds double precision not null,
      network_in bigint not null,
      network_out bigint not null,
      cpu_percent double precision not null,
      ram_mb double precision not null,
      disk_gb double precision,
      disk_read_at timestamptz
    );

    create table traffic_months (
      server_id bigint not null references servers,
      month date not null check (extract(day from month) = 1),
      incoming bigint not null default 0,
      outgoing bigint not null default 0,
      primary key (server_id, month)
    );
  `.execute(db);
}

import { type RawBuilder, sql } from 'kysely';
import { dataDirectory, type Service } from '../e2e/service.ts';
import { createDb, createPool, type Db, type Trx } from '../service/src/db/connection.ts';
import { joinEmbeddedPostgres } from '../service/src/db/embedded/embedded.ts';
import { createTestToken } from '../service/src/testing/app.ts';
import { createTestProject } from '../service/src/testing/people.ts';

/** The number of audit log entries of the attacker. */
export const entries = 600_000;
/** Those of the other customer, enough for a large page. */
const entriesOfOther = 1000;
/** The number of deleted servers on the attacker's statement of this month. */
export const servers = 30_000;
/** The number of the attacker's creates that stored as much output as a create can. */
export const fullCreates = 1000;

/** The name of the attacker's project. */
export const attackingProject = 'attacker';

/** The number of servers whose metrics are exported. */
export const meteredServers = 10_000;

/** Runs `work` on the database of a service. */
export async function onDatabaseOf<T>(
  { directory }: Service,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const { connectionString } = await joinEmbeddedPostgres({ dataDir: dataDirectory(directory) });
  const db = createDb(createPool(connectionString));
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** The tokens of two customers, with the scope `servers:read`. */
export interface Customers {
  attacker: string;
  other: string;
}

/**
 * Inserts two customers, one of whom has a long history. The location of the service must exist.
 */
export async function enterHostileRows(service: Service): Promise<Customers> {
  return await onDatabaseOf(service, enterCustomers);
}

async function enterCustomers(db: Db): Promise<Customers> {
  const attacker = await customer(db, attackingProject);
  const other = await customer(db, 'another');
  await db.transaction().execute(async (trx) => {
    await enterAuditLog(trx, attacker.id, entries);
    await enterAuditLog(trx, other.id, entriesOfOther);
    await enterServers(trx, attacker.id);
    await enterCreates(trx, attacker.id);
  });
  for (const table of ['audit_entries', 'servers', 'server_spans', 'operations']) {
    await sql`vacuum analyze ${sql.table(table)}`.execute(db);
  }
  return { attacker: attacker.token, other: other.token };
}

async function customer(db: Db, project: string) {
  const id = await createTestProject(db, project);
  const { token } = await createTestToken(db, { scopes: ['servers:read'], project });
  return { id, token };
}

async function enterAuditLog(trx: Trx, projectId: number, count: number): Promise<void> {
  await sql`
    insert into audit_entries (project_id, address, action, target_kind, target_id, status, request_id, source,
      by_administrator)
    select ${projectId}, '192.0.2.1', case when n % 2 = 0 then 'server_start' else 'server_stop' end, 'server',
      n, case when n % 2 = 0 then 202 else 409 end, 'request-' || n, 'api', false
    from ${numbers(count)}`.execute(trx);
}

/** Deleted servers have no instances, which the service would miss. */
async function enterServers(trx: Trx, projectId: number): Promise<void> {
  // Each trigger updates the row of the project, which is quadratic in one transaction.
  await sql`alter table servers disable trigger user`.execute(trx);
  await sql`
    insert into servers (project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb, disk_gb, status,
      created_at, installed_at, deleted_at)
    select ${projectId}, node.location_id, (select min(id) from operating_systems), node.id, 'many-' || n,
      'many-' || n, 1, 512, 4, 'stopped', now() - interval '1 hour', now() - interval '1 hour', now()
    from ${numbers(servers)}, (
      select nodes.id, location_id from nodes join locations on locations.id = location_id
      where removed_at is null order by nodes.id limit 1
    ) node`.execute(trx);
  await sql`alter table servers enable trigger user`.execute(trx);
  await sql`
    insert into server_spans (server_id, from_at, to_at, is_running, cpu, ram_mb, disk_gb)
    select id, created_at, deleted_at, true, cpu, ram_mb, disk_gb
    from servers where project_id = ${projectId}`.execute(trx);
}

/**
 * Each has 64 outputs of 4 KiB. They compress well, because a project can store 16 MiB in compressed form: a customer
 * can have this many of them only in this way.
 */
async function enterCreates(trx: Trx, projectId: number): Promise<void> {
  await sql`
    insert into operations (project_id, server_id, kind, status, step, message, progress, deadline_at, created_at,
      started_at, finished_at, commands)
    select project_id, id, 'create', 'succeeded', 'finish', 'The server is ready.', 100, created_at, created_at,
      created_at, created_at, (
        select jsonb_agg(jsonb_build_object('exit_status', 0, 'duration_ms', 1,
          'output', repeat(md5(servers.id || ' ' || n), 128)))
        from ${numbers(64)})
    from servers where project_id = ${projectId} order by id limit ${sql.lit(fullCreates)}`.execute(
    trx,
  );
  // As at the end of a create: a trigger records the stored size.
  await sql`
    update operations set finished_at = finished_at where project_id = ${projectId}`.execute(trx);
}

/**
 * Inserts servers with usage and traffic. Their location is removed, so that the service misses no
 * instances of them.
 */
export async function enterMeteredServers(service: Service): Promise<void> {
  await onDatabaseOf(service, async (db) => {
    const id = await createTestProject(db, 'metered');
    await db.transaction().execute((trx) => enterUsage(trx, id));
    await sql`analyze servers, usage_current, traffic_months`.execute(db);
  });
}

async function enterUsage(trx: Trx, projectId: number): Promise<void> {
  await sql`alter table servers disable trigger user`.execute(trx);
  await sql`
    with location as (
      insert into locations (name, description, engine, incus_project, storage_pool, network,
        max_cpu, max_ram_mb, max_disk_gb, removed_at)
      values ('removed', '', '{"socket_path": "/nowhere"}', 'removed', '', '', 4, 8192, 100, now())
      returning id
    ), node as (
      insert into nodes (location_id, name, status, cpu, ram_mb)
      select id, 'removed', 'online', 4, 8192 from location returning id, location_id
    ), entered as (
      insert into servers (project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb,
        disk_gb, status, real_status, installed_at)
      select ${projectId}, location_id, (select min(id) from operating_systems), node.id,
        'metered-' || n, 'metered-' || n, 1, 512, 4, 'started', 'started', now()
      from ${numbers(meteredServers)}, node
      returning id
    ), used as (
      insert into usage_current (server_id, read_at, network_read_at, cpu_seconds, cpu_percent,
        ram_mb, disk_gb)
      select id, now(), now(), 123456.789, 12.5, 345.67, 1.234 from entered
      returning server_id
    )
    insert into traffic_months (server_id, month, incoming, outgoing)
    select server_id, date_trunc('month', now())::date, 123456789012, 98765432101
    from used`.execute(trx);
  await sql`alter table servers enable trigger user`.execute(trx);
}

const numbers = (count: number): RawBuilder<unknown> =>
  sql`generate_series(1, ${sql.lit(count)}) n`;

import { sql } from 'kysely';
import { createDb, createPool, type Trx } from '../service/src/db/connection.ts';
import { makeAuditPartitions } from '../service/src/retention/audit-queries.ts';
import { monthOf } from '../service/src/retention/months.ts';
import { recordsOfServers } from '../service/src/testing/many-rows.ts';
import type { Installation } from './scale-installation.ts';

const customers = 20;

/**
 * Inserts operations, events and audit entries of the last days, of the servers of the fleet and of deleted servers of
 * other projects in turn.
 */
export async function enterRecords({ superuserConnectionString }: Installation): Promise<void> {
  const db = createDb(createPool(superuserConnectionString, { max: 1 }));
  try {
    await makeAuditPartitions(db, monthOf(new Date(), -1));
    await db.transaction().execute(async (trx) => {
      // Triggers would count each server's share of its project, and write events of their own. Only a superuser can
      // turn them off for one transaction, without a lock for which the service would wait.
      await sql`set local session_replication_role = replica`.execute(trx);
      await enterDeletedServers(trx);
      await enterUsers(trx);
      for (const statement of recordsOfServers(sql`md5(id::text)`)) await statement.execute(trx);
    });
    await sql`vacuum analyze servers, operations, events, audit_entries`.execute(db);
  } finally {
    await db.destroy();
  }
}

/** One on each node for each of several customers. */
async function enterDeletedServers(trx: Trx): Promise<void> {
  await sql`
    with customers as (
      insert into projects (name) select 'customer-' || n from generate_series(1, ${sql.lit(customers)}) n
      returning id
    )
    insert into servers (project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb, disk_gb, status,
      created_at, installed_at, deleted_at)
    select customers.id, nodes.location_id, (select min(id) from operating_systems), nodes.id, 'web',
      'deleted-' || customers.id || '-' || nodes.id, 1, 512, 4, 'stopped',
      now() - interval '7 days', now() - interval '7 days', now()
    from customers, nodes`.execute(trx);
}

/** The audit entries have their ids. */
async function enterUsers(trx: Trx): Promise<void> {
  await sql`
    insert into users (email, name) select 'user-' || n || '@example.com', 'User ' || n
    from generate_series(1, 3) n`.execute(trx);
}

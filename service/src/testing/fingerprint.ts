import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';

/** Tables that services write on their own. */
const ofServices = ['reconciler_statuses', 'service_addresses'];
/** Tables that signing in writes. */
const ofSigningIn = ['sessions', 'known_networks', 'sign_in_states', 'device_authorizations'];
/** Tables of migrations. */
const ofKysely = ['kysely_migration', 'kysely_migration_lock'];
const incidental = new Set([...ofServices, ...ofSigningIn, ...ofKysely]);

/** A number for everything that a request may create or change. It differs if something has changed. */
export async function fingerprintOf(db: Db): Promise<string> {
  const tables = (await tablesOf(db)).filter((table) => !incidental.has(table));
  const rows = sql.join(
    tables.map(
      // The time of the last use does not count as a change.
      (table) => sql`select ${table}, to_jsonb(t) - 'last_used_at' from ${sql.table(table)} t`,
    ),
    sql` union all `,
  );
  const { rows: found } = await sql<{ fingerprint: string }>`
    select count(*) || ' rows, ' || coalesce(md5(string_agg(r::text, '' order by r::text)), '')
      as fingerprint
    from (${rows}) as r`.execute(db);
  return found[0]?.fingerprint ?? '';
}

/** The tables without partitions, because the audit log gets an entry for each refusal. */
async function tablesOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname::text as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and not relispartition
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { type Logger, pino } from 'pino';
import type { Db } from '../db/connection.ts';
import { lineFormat } from '../lib/log.ts';

/** A log, of all levels unless another is given, whose lines can be searched. */
export function keptLog(level = 'trace'): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: pino({ ...lineFormat, level }, destination), lines };
}

const tables = [
  ...['users', 'sessions', 'identities', 'passkeys', 'sign_in_states', 'known_networks'],
  ...['audit_log', 'idempotency_keys', 'device_authorizations'],
];

/** Every row that users and requests have written. */
export async function rowsAbout(db: Db): Promise<string[]> {
  const rows = tables.map(async (table) => {
    const found = await sql`select t::text as line from ${sql.table(table)} t`.execute(db);
    return found.rows.map((row) => JSON.stringify(row));
  });
  return (await Promise.all(rows)).flat();
}

/** All rows of all tables, as text. */
export async function allRows(db: Db): Promise<string> {
  const found = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(db);
  const dumps = found.rows.map(async ({ name }) => {
    const { rows } = await sql<{ t: string }>`select t::text from ${sql.raw(name)} t`.execute(db);
    return rows.map(({ t }) => t).join('\n');
  });
  return (await Promise.all(dumps)).join('\n');
}

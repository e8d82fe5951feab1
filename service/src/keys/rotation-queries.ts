import { sql } from 'kysely';
import { insertToolEntry } from '../audit/entry-queries.ts';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import { findReplacedKeys } from '../db/queries.ts';
import { idempotencyLifetime } from '../retention/idempotency-queries.ts';
import type { Keyring } from './keyring.ts';
import {
  fingerprintIn,
  fingerprintOf,
  headerBytes,
  headerOf,
  keyId,
  lackingIn,
} from './keyring.ts';

const atOnce = 100;

interface Column {
  table: string;
  column: string;
  row: string;
  rowBefore?: string;
}

/** All columns of sealed values, and the names of rows in their places, as in places.ts. */
const columns: readonly Column[] = [
  {
    table: 'operations',
    column: 'secrets',
    row: `server_id || ' ' || id`,
    rowBefore: 'server_id::text',
  },
  { table: 'installation', column: 'client_key', row: 'id::text' },
  { table: 'idempotency_keys', column: 'secret', row: `caller || ' ' || key` },
  { table: 'sign_in_states', column: 'data', row: `kind || ' ' || encode(secret_sha256, 'hex')` },
  { table: 'device_authorizations', column: 'token', row: `encode(device_code_sha256, 'hex')` },
  { table: 'webhooks', column: 'secrets', row: 'id::text' },
];

/**
 * Seals all values with the current key, some rows at a time, until every value is sealed with it. `told` is called
 * after each part. Returns the number of values that no key can read, which are not changed.
 */
export async function resealAll(db: Db, keyring: Keyring, told: (text: string) => void) {
  for (;;) {
    const pass = { sealed: 0, unreadable: 0 };
    for (const column of columns) {
      let after = '';
      for (;;) {
        const part = await db
          .transaction()
          .execute((trx) => resealSome(trx, keyring, column, after));
        if (part === undefined) break;
        pass.sealed += part.sealed;
        pass.unreadable += part.unreadable;
        after = part.last;
        told(`Encrypted ${part.sealed} values of ${column.table} again.`);
      }
    }
    if (pass.sealed === 0) return pass.unreadable;
  }
}

interface Part {
  sealed: number;
  unreadable: number;
  last: string;
}

/** Seals the next rows, whose names come after the given one. Undefined if there are none. */
async function resealSome(
  trx: Trx,
  keyring: Keyring,
  { table, column, row, rowBefore }: Column,
  after: string,
): Promise<Part | undefined> {
  const { rows } = await sql<{
    at: string;
    row: string;
    rowBefore: string | null;
    sealed: Buffer;
  }>`
    select ctid::text as at, ${sql.raw(row)} as row, ${sql.raw(rowBefore ?? 'null')} as "rowBefore",
      ${sql.ref(column)} as sealed
    from ${sql.table(table)}
    where ${sql.ref(column)} is not null
      and substring(${sql.ref(column)} for ${sql.lit(headerBytes)}) <> ${headerOf(keyring.state.current.bytes)}
      and (${sql.raw(row)}) > ${after}
    order by 2 limit ${atOnce} for update`.execute(trx);
  const part: Part = { sealed: 0, unreadable: 0, last: rows.at(-1)?.row ?? '' };
  for (const { at, row, rowBefore, sealed } of rows) {
    const place = { table, column, row, ...(rowBefore !== null && { rowBefore }) };
    const value = keyring.open(place, sealed);
    if (value === undefined) {
      part.unreadable += 1;
      continue;
    }
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${keyring.seal(place, value)}
      where ctid = ${at}::tid`.execute(trx);
    part.sealed += 1;
  }
  return rows.length > 0 ? part : undefined;
}

/** Values that no key can decrypt. */
export interface Unreadable {
  count: number;
  /**
   * The fingerprints of their keys. A value of an earlier release does not name its key, so that
   * all missing keys that were replaced are among these then.
   */
  missingKeys: string[];
}

/**
 * Which values can't be decrypted with any key; at most 1,000 of each column are checked. Nothing
 * is read if no lost key was ever replaced.
 */
export async function findUnreadable(db: Db, keyring: Keyring): Promise<Unreadable> {
  const replaced = await findReplacedKeys(db);
  if (replaced.length === 0) return { count: 0, missingKeys: [] };
  const known = keyring.state.keys.map(({ bytes }) => headerOf(bytes));
  const missing = new Set<string>();
  let count = 0;
  for (const { table, column, row, rowBefore } of columns) {
    const { rows } = await sql<{ row: string; rowBefore: string | null; sealed: Buffer }>`
      select ${sql.raw(row)} as row, ${sql.raw(rowBefore ?? 'null')} as "rowBefore", ${sql.ref(column)} as sealed
      from ${sql.table(table)}
      where ${sql.ref(column)} is not null
        and substring(${sql.ref(column)} for ${sql.lit(headerBytes)}) <> all (${known}::bytea[])
      limit 1000`.execute(db);
    for (const { row, rowBefore, sealed } of rows) {
      const place = { table, column, row, ...(rowBefore !== null && { rowBefore }) };
      if (keyring.open(place, sealed) !== undefined) continue;
      count += 1;
      const named = fingerprintIn(sealed);
      for (const key of named ? [named] : lackingIn(keyring, replaced)) missing.add(key);
    }
  }
  return { count, missingKeys: [...missing] };
}

/**
 * Until when requests are identified by a MAC under another key, which can't be recomputed. Undefined if there are none.
 */
export async function macsUnderOthersUntil(
  db: Queryable,
  key: Buffer,
): Promise<string | undefined> {
  const { rows } = await sql<{ until: string | null }>`
    select max(created_at) + ${idempotencyLifetime} as until from idempotency_keys
    where length(request_hmac) = 32 or substring(request_hmac for 8) <> ${keyId(key)}`.execute(db);
  return rows[0]?.until ?? undefined;
}

/** When the last rotation began, if the audit log still has it. */
export async function lastRotationAt(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('audit_log')
    .select('at')
    .where('action', '=', 'secret_key_rotate')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.at;
}

/**
 * Makes services write with the new key, and bind values to their places. Keys are identified by their SHA-256.
 */
export async function beginRotation(db: Db, from: Buffer, to: Buffer): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('installation')
      .set({
        secret_key_sha256: to,
        rotated_from_sha256: from,
        sealing: sql`case when sealing = 'bound' then 'bound' else 'mixed' end`,
      })
      .where('secret_key_sha256', '=', from)
      .execute();
    await insertToolEntry(trx, {
      action: 'secret_key_rotate',
      projectId: null,
      target: null,
      details: { key: { before: fingerprintOf(from), after: fingerprintOf(to) } },
    });
  });
}

/** Makes services read only bound values. */
export async function endRotation(db: Db): Promise<void> {
  await db
    .updateTable('installation')
    .set({ rotated_from_sha256: null, sealing: 'bound' })
    .execute();
}

/** Runs work while no other rotation runs. Returns undefined if another one is in progress. */
export async function whileRotating<T>(db: Db, work: () => Promise<T>): Promise<T | undefined> {
  return await db.connection().execute(async (connection) => {
    const lock = sql`hashtextextended('berth key rotation', 0)`;
    const { rows } = await sql<{ held: boolean }>`
      select pg_try_advisory_lock(${lock}) as held`.execute(connection);
    if (!rows[0]?.held) return undefined;
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(connection);
    }
  });
}

/**
 * The announcement of each running service about its keys. A service of the previous release only has a name.
 */
export async function announcements(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'berth-listen%'`.execute(db);
  return rows.map(({ name }) => name);
}

/** Whether transactions of others that began before a time are still in progress. */
export async function hasTransactionsFrom(db: Queryable, before: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend' and xact_start < ${before}
    ) as found`.execute(db);
  return rows[0]?.found === true;
}

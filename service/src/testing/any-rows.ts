import type pg from 'pg';
import { escapeIdentifier as name } from 'pg';

// Generates rows for all tables. The possible values of a column are read from the catalog, and rows that a constraint
// refuses are generated again.

interface Column {
  table: string;
  column: string;
  type: string;
  is_nullable: boolean;
  /** The table and the column that it refers to. */
  refers_to: [string, string] | null;
  /** Texts in a check constraint of its table. */
  checked: string[];
}

const columnsQuery = `
  select c.relname::text as table, a.attname::text as column,
    format_type(a.atttypid, null) as type, not a.attnotnull as is_nullable,
    (
      select json_build_array(f.confrelid::regclass::text, b.attname)
      from pg_constraint f join pg_attribute b on b.attrelid = f.confrelid and b.attnum = f.confkey[1]
      where f.conrelid = c.oid and f.contype = 'f' and f.conkey = array[a.attnum] limit 1
    ) as refers_to,
    array(
      select m[1] from pg_constraint k,
        regexp_matches(pg_get_constraintdef(k.oid), '''([^'']+)''::text', 'g') m
      where k.conrelid = c.oid and k.contype = 'c' and a.attnum = any(k.conkey)
    ) as checked
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition and c.relname not like 'kysely\\_%'
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''`;

/** Texts that COPY must escape, or must not misread. */
const texts = [
  '\\.',
  '\\N',
  'NULL',
  '',
  'two\nlines\r\n\\.\nand \\. more',
  'tab\tand \\ back\\\\slash, "quotes" \'too\'',
  'grüße, 世界 😀 \u202e\u0001',
  '{a,b} (c,d)',
];
const long = () => String(Math.random()).repeat(9000);
const minutesAgo = (most: number) => new Date(Date.now() - Math.random() * most * 60_000);

/** Columns of which not every value of their type is possible. */
const valuesOf: Record<string, () => unknown> = {
  // An index reads its text as bytea, for which a backslash begins an escape. Labels have none.
  'label_sets.summary': () => JSON.stringify({ [`key${Math.random()}`]: one(['prod', '', null]) }),
};

const values: Record<string, () => unknown> = {
  text: () => (Math.random() < 0.1 ? long() : `${one(texts)}${Math.random()}`),
  'text[]': () => [one(texts), one(texts)],
  'integer[]': () => [one([0, 1, 80]), 2_000_000_000],
  'bigint[]': () => ['9007199254740993', null, -1],
  'double precision[]': () => [0.1, 1 / 3, 1e308],
  bigint: () => one([0, 1, 7, 80, 100, '9007199254740993', -1]),
  integer: () => one([0, 1, 80, 100, 2_000_000_000]),
  smallint: () => one([0, 1, 80, 100]),
  boolean: () => Math.random() < 0.5,
  real: () => one([0, 0.1, 1 / 3, -1e-30, 3.4e38, 'NaN']),
  'double precision': () => one([0.1, 1 / 3, Math.random(), Number.MIN_VALUE, 1e308]),
  numeric: () => one(['0.10', '123456789012345678901234567890.5']),
  'timestamp with time zone': () => `${minutesAgo(5).toISOString().slice(0, -1)}123Z`,
  date: () => one(['2026-11-01', '2026-02-01', '1970-01-01']),
  uuid: () => crypto.randomUUID(),
  'bytea[]': () => [Buffer.from([0, 92, 255]), Buffer.alloc(0)],
  bytea: () => Buffer.from(crypto.getRandomValues(new Uint8Array(40))),
  jsonb: () => JSON.stringify({ [one(texts)]: [one(texts), null, 1e-7, { 'a"b': '\\u0041' }] }),
  inet: () => `10.9.0.${1 + Math.floor(Math.random() * 254)}`,
  'inet[]': () => ['10.9.0.1', 'fd00:9::1'],
  cidr: () => one(['10.9.0.0/24', '10.9.0.0/16', '10.0.0.0/8']),
  'cidr[]': () => ['10.0.0.0/8', 'fd00::/8'],
};

function one<T>(all: T[]): T {
  return all[Math.floor(Math.random() * all.length)] as T;
}

/**
 * Error codes of PostgreSQL after which a row is generated again: null, unique, check, out of range, too long for an
 * index.
 */
const drawnAgain = new Set(['23502', '23505', '23514', '22003', '54000']);
const mostDraws = 2000;
const fewDraws = 20;

/** Inserts rows into each of the tables, which must be in the order of their references. */
export async function enterAnyRows(pool: pg.Pool, tables: string[], wanted = 5): Promise<void> {
  const { rows: columns } = await pool.query<Column>(columnsQuery);
  for (const table of tables) {
    const own = columns.filter((column) => column.table === table);
    let entered = await countRows(pool, table);
    let refused = 0;
    // A table with rows may not accept another one.
    while (entered < wanted && refused < (entered > 0 ? fewDraws : mostDraws)) {
      if (await enterRow(pool, table, own)) entered += 1;
      else refused += 1;
    }
    if (entered === 0) throw new Error(`No row of ${table} can be drawn: give it a value.`);
  }
}

async function countRows(pool: pg.Pool, table: string): Promise<number> {
  const { rows } = await pool.query(`select count(*)::int as count from ${name(table)}`);
  return rows[0].count;
}

async function enterRow(pool: pg.Pool, table: string, columns: Column[]): Promise<boolean> {
  const drawn = await Promise.all(columns.map((column) => draw(pool, column)));
  const names = columns.map(({ column }) => name(column)).join(', ');
  const places = columns.map((_, at) => `$${at + 1}`).join(', ');
  try {
    await pool.query(`insert into ${name(table)} (${names}) values (${places})`, drawn);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && drawnAgain.has(String(error.code))) {
      return false;
    }
    throw error;
  }
}

async function draw(pool: pg.Pool, column: Column): Promise<unknown> {
  if (column.is_nullable && Math.random() < 0.3) return null;
  if (column.refers_to) {
    const [table, key] = column.refers_to;
    const { rows } = await pool.query(
      `select ${name(key)} as key from ${table} order by random() limit 1`,
    );
    return rows[0]?.key ?? null;
  }
  if (column.type === 'text' && column.checked.length > 0) return one(column.checked);
  const value = valuesOf[`${column.table}.${column.column}`] ?? values[column.type];
  if (!value) throw new Error(`No value of the type ${column.type} is known.`);
  return value();
}

import type { ClientBase } from 'pg';

/** A table of the schema, according to the system catalogs of PostgreSQL. */
export interface Table {
  name: string;
  /** The stored columns, without generated ones. */
  columns: string[];
  /** The partitions by time, without the default partition, which a migration creates. */
  partitions: Partition[];
}

export interface Partition {
  name: string;
  from: string;
  to: string;
}

export interface Sequence {
  name: string;
  /** The last value; null if no value was taken yet. */
  last: string | null;
}

interface CatalogRow {
  name: string;
  columns: string[];
  refers_to: string[];
  partitions: { name: string; bounds: string }[];
}

const tablesQuery = `
  select c.relname::text as name,
    array(
      select attname::text from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
      order by attnum
    ) as columns,
    array(
      select distinct r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
      where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid
      order by 1
    ) as refers_to,
    array(
      select json_build_object('name', p.relname, 'bounds', pg_get_expr(p.relpartbound, p.oid))
      from pg_inherits i join pg_class p on p.oid = i.inhrelid
      where i.inhparent = c.oid and pg_get_expr(p.relpartbound, p.oid) <> 'DEFAULT'
      order by p.relname
    ) as partitions
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace
    and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'kysely\\_%'
  order by 1`;

/** Lists all tables of Berth, each after those that it references. */
export async function listTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<CatalogRow>(tablesQuery);
  return inOrderOfReference(rows).map(({ name, columns, partitions }) => ({
    name,
    columns,
    partitions: partitions.map(readBounds),
  }));
}

function inOrderOfReference(rows: CatalogRow[]): CatalogRow[] {
  const placed = new Map<string, CatalogRow>();
  while (placed.size < rows.length) {
    const free = rows.filter(
      ({ name, refers_to }) => !placed.has(name) && refers_to.every((other) => placed.has(other)),
    );
    if (free.length === 0) throw new Error('These tables refer to each other in a circle.');
    for (const row of free) placed.set(row.name, row);
  }
  return [...placed.values()];
}

function readBounds({ name, bounds }: { name: string; bounds: string }): Partition {
  const [, from, to] = /^FOR VALUES FROM \('([^']+)'\) TO \('([^']+)'\)$/.exec(bounds) ?? [];
  if (from && to) return { name, from, to };
  throw new Error(`The partition ${name} is none by time: ${bounds}`);
}

export async function listSequences(client: ClientBase): Promise<Sequence[]> {
  const { rows } = await client.query<Sequence>(`
    select sequencename::text as name, last_value::text as last from pg_sequences
    where schemaname = current_schema() order by 1`);
  return rows;
}

/** Counts the tables, views and sequences, including those that are not part of Berth. */
export async function countRelations(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`
    select count(*)::int as count from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')`);
  return rows[0]?.count ?? 0;
}

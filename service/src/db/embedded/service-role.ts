import type pg from 'pg';

/** The role that owns the embedded database. Services and tools connect as it. */
export const serviceRole = 'berth_service';

/**
 * Creates the role of services, without further privileges, and its database. If the database exists, its owner is
 * changed to the role. `client` must be connected as a superuser to another database.
 */
export async function ensureDatabase(client: pg.Client, database: string): Promise<void> {
  const role = await client.query('select from pg_roles where rolname = $1', [serviceRole]);
  if (role.rowCount === 0) await client.query(`create role ${serviceRole} login`);
  const owner = await ownerOf(client, database);
  if (owner === undefined) await client.query(`create database ${database} owner ${serviceRole}`);
  else if (owner !== serviceRole) {
    await client.query(`alter database ${database} owner to ${serviceRole}`);
  }
}

/** Finds the owner of a database; undefined if the database does not exist. */
export async function ownerOf(client: pg.Client, database: string): Promise<string | undefined> {
  const { rows } = await client.query(
    'select pg_get_userbyid(datdba) as owner from pg_database where datname = $1',
    [database],
  );
  return rows[0]?.owner;
}

/**
 * Lists the objects in the database that belong to a superuser, because releases up to 0.1 connected as one. The
 * service role becomes their owner. The public schema follows the owner of the database, sequences of columns and types
 * of tables follow their tables, and objects of an extension are not changed.
 */
const foreign = `
  with mine as (select oid from pg_roles where rolname = $1),
  schemas as (select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'),
  extended as (select classid, objid from pg_depend where deptype = 'e'),
  found as (
    select 0 as at, 'pg_namespace'::regclass as classid, oid,
      format('schema %I', nspname) as what, nspowner as owner
    from pg_namespace where oid in (select oid from schemas) and nspname <> 'public'
    union all
    select 1, 'pg_class'::regclass, oid, format('table %s', oid::regclass), relowner
    from pg_class c
    where relnamespace in (select oid from schemas) and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      and not exists (
        select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid
          and c.relkind = 'S' and d.deptype in ('a', 'i'))
    union all
    select 2, 'pg_proc'::regclass, oid, format('routine %s', oid::regprocedure), proowner
    from pg_proc where pronamespace in (select oid from schemas)
    union all
    select 3, 'pg_type'::regclass, t.oid, format('type %s', t.oid::regtype), typowner
    from pg_type t left join pg_class c on c.oid = typrelid
    where typnamespace in (select oid from schemas)
      and (typtype in ('d', 'e', 'r') or (typtype = 'c' and c.relkind = 'c')))
  select what from found
  where owner <> (select oid from mine)
    and not exists (select from extended e where e.classid = found.classid and e.objid = found.oid)
  order by at`;

/**
 * Makes the service role the owner of all objects in the database of `client`, or of none of them. `client` must be
 * connected as a superuser.
 */
export async function handOver(client: pg.Client): Promise<void> {
  const { rows } = await client.query(foreign, [serviceRole]);
  if (rows.length === 0) return;
  await client.query('begin');
  for (const { what } of rows) await client.query(`alter ${what} owner to ${serviceRole}`);
  await client.query('commit');
}

/** Allows services to rotate the log of PostgreSQL. `client` must be connected to their database as a superuser. */
export async function mayRotateLog(client: pg.Client): Promise<void> {
  await client.query(`grant execute on function pg_rotate_logfile() to ${serviceRole}`);
}

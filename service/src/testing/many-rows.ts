import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connection.ts';
import type { Installation } from './fixtures.ts';

export const manyRows = 100_000;

/**
 * Inserts a hundred thousand rows into each table that customers can make grow. Three of five rows belong to the
 * installation's project. Each column for a filter has one value that only five rows of this project have (`rare`), one
 * that only rows of the other project have (`elsewhere`), and one for all other rows. Rows are inserted in the order of
 * their numbers, so that those of both projects alternate.
 */
export async function enterManyRows(db: Db, place: Installation, otherProjectId: number) {
  await db.transaction().execute(async (trx) => {
    for (const table of ['servers', 'addresses', 'operations', 'users', 'memberships', 'tokens']) {
      await sql`alter table ${sql.table(table)} disable trigger user`.execute(trx);
    }
    for (const statement of statements(place, otherProjectId)) await statement.execute(trx);
    for (const table of await otherTablesOfProjects(trx)) {
      await insertInto(table, projectOf(place, otherProjectId)).execute(trx);
    }
  });
  await sql`analyze`.execute(db);
}

const isMine = sql`n % 5 < 3`;
const isRare = sql`n % 20000 = 10`;
const isElsewhere = sql`n % 5 = 3`;
const age = sql`make_interval(secs => (${sql.lit(manyRows)} - n) * 10)`;
const rows = sql`generate_series(1, ${sql.lit(manyRows)}) n`;

/** Returns one of three values by the number of the row. */
const oneOf = (rare: unknown, elsewhere: unknown, other: unknown) =>
  sql`case when ${isRare} then ${sql.lit(rare)} when ${isElsewhere} then ${sql.lit(elsewhere)} else ${sql.lit(other)} end`;

const projectOf = ({ projectId }: Installation, otherProjectId: number) =>
  sql`case when ${isMine} then ${sql.lit(projectId)} else ${sql.lit(otherProjectId)} end`;

/** Five servers of the installation's project, and half of those of the other project, have no labels. */
const isUnlabelled = sql`(n % 20000 = 11 or n % 5 = 4)`;

/** Without the label `number`, of which each server has another value. All labelled servers but rare ones have `old`. */
const labels = sql`jsonb_build_object('env', ${oneOf('rare', 'elsewhere', 'common')})
  || case when ${isRare} then '{}' else '{"old": ""}'::jsonb end`;

interface NewTable {
  name: string;
  /** The columns that need a value, with their types. */
  columns: { name: string; type: string }[];
}

/** Entries of the audit log from before it had partitions. */
const earlierEntries = 'audit_log_before';

/** Tables of projects into which no statement here inserts rows. */
async function otherTablesOfProjects(trx: Trx): Promise<NewTable[]> {
  const { rows: tables } = await sql<NewTable>`
    select c.relname::text as name, array(
      select json_build_object('name', a.attname, 'type', format_type(a.atttypid, null))
      from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attnotnull
        and not a.atthasdef and a.attidentity = '' and a.attname <> 'project_id'
    ) as columns
    from pg_class c join pg_attribute p on p.attrelid = c.oid and p.attname = 'project_id'
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      and not c.relispartition and c.relname <> ${earlierEntries}`.execute(trx);
  const isEmpty = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql`select from ${sql.table(name)} limit 1`.execute(trx);
      return rows.length === 0;
    }),
  );
  return tables.filter((_, at) => isEmpty[at]);
}

/** The value of the n-th row, by type of the column. */
const values: Record<string, RawBuilder<unknown>> = {
  text: sql`md5(n::text)`,
  jsonb: sql`'{}'::jsonb`,
  bytea: sql`sha256(n::text::bytea)`,
  'timestamp with time zone': sql`now() - ${age}`,
};

function insertInto({ name, columns }: NewTable, project: RawBuilder<unknown>) {
  const names = ['project_id', ...columns.map((column) => column.name)].map((one) => sql.ref(one));
  const drawn = columns.map((column) => {
    const value = values[column.type];
    if (!value) throw new Error(`Add the value of ${name}.${column.name} to many-rows.ts.`);
    return value;
  });
  return sql`insert into ${sql.table(name)} (${sql.join(names)})
    select ${sql.join([project, ...drawn])} from ${rows}`;
}

function statements(place: Installation, otherProjectId: number): RawBuilder<unknown>[] {
  const project = projectOf(place, otherProjectId);
  const { osId } = place;
  return [
    sql`insert into projects (name) select 'p' || md5(n::text) from ${rows}`,
    sql`insert into users (email, name)
      select md5(n::text) || '@example.com', md5('name' || n) from ${rows}`,
    sql`insert into memberships (project_id, user_id, role)
      select ${project}, id, 'viewer' from (
        select id, row_number() over (order by id) as n from users order by id limit ${sql.lit(manyRows)}
      ) users`,
    sql`insert into tokens (project_id, name, secret_sha256, scopes, created_at, revoked_at)
      select ${project}, md5(n::text), sha256(n::text::bytea), '{}', now() - ${age},
        case when n % 2 = 0 then now() end
      from ${rows}`,
    sql`insert into sessions (secret_sha256, user_id, address, user_agent, expires_at)
      select sha256(id::text::bytea), id, '192.0.2.1', '', now() + interval '1 day' from users`,
    sql`insert into passkeys (user_id, credential_id, public_key, counter, name)
      select id, sha256(id::text::bytea), '', 0, '' from users`,
    // One location has five servers, one has most of them, and the third has many nodes.
    sql`insert into locations (name, description, engine, incus_project, storage_pool, network,
        max_cpu, max_ram_mb, max_disk_gb)
      select name, '', '{"socket_path": "/nowhere"}', name, '', '', 4, 8192, 100
      from unnest(array['rare', 'elsewhere', 'many']) name`,
    sql`insert into nodes (location_id, name, status, cpu, ram_mb)
      select id, locations.name || n, 'online', 4, 8192
      from locations, generate_series(1, 100) n
      where locations.name = 'many' or (n = 1 and locations.name in ('rare', 'elsewhere'))`,
    sql`insert into operating_systems (slug, name, version, type, architecture, source, min_ram_mb,
        min_disk_gb)
      select slug, slug, '1', 'container', 'x86_64', '{}', 128, 1
      from unnest(array['rare', 'elsewhere']) slug`,
    sql`insert into sizes (name, cpu, ram_mb, disk_gb)
      select name, 1, 512, 4 from unnest(array['rare', 'elsewhere']) name`,
    sql`insert into address_pools (location_id, cidr, gateway, nameservers, first, last)
      select id, network('10.100.0.0/16'::inet + n * 65536)::cidr, '10.100.0.0'::inet + n * 65536 + 1,
        '{}', '10.100.0.0'::inet + n * 65536 + 2, '10.100.0.0'::inet + n * 65536 + 65534
      from locations, generate_series(0, 19) n where name = 'many'`,
    // As `labelSetFor` leaves out what differs from server to server.
    sql`insert into label_sets (project_id, summary)
      select distinct ${project}, ${labels} || '{"number": null}' from ${rows} where not ${isUnlabelled}`,
    sql`insert into servers (project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb,
        disk_gb, status, created_at, group_name, labels, label_set_id, size_id)
      select ${project}, nodes.location_id, coalesce(os.id, ${sql.lit(osId)}), nodes.id, md5(n::text),
        n::text, 1, 512, 4, ${oneOf('error', 'stopped', 'started')}, now() - ${age},
        ${oneOf('rare', 'elsewhere', null)},
        case when ${isUnlabelled} then '{}' else ${labels} || jsonb_build_object('number', n::text) end, s.id,
        sizes.id
      from ${rows}
      left join label_sets s on not ${isUnlabelled} and s.project_id = ${project}
        and s.summary = ${labels} || '{"number": null}'
      join nodes on nodes.name = ${oneOf('rare1', 'elsewhere1', null)}
        or (nodes.name = 'many' || (n % 100 + 1) and not (${isRare} or ${isElsewhere}))
      left join operating_systems os on os.slug = ${oneOf('rare', 'elsewhere', null)}
      left join sizes on sizes.name = ${oneOf('rare', 'elsewhere', null)}
      order by n.n`,
    sql`insert into addresses (ip, pool_id, server_id, is_primary)
      select pool.first + n, pool.id, servers.id, true
      from (select *, row_number() over (order by id) as n from servers) servers
      join (select *, row_number() over (order by id) as place from address_pools
        where cidr <<= '10.96.0.0/11') pool on pool.place = servers.n % 20 + 1`,
    sql`insert into consoles (project_id, server_id, token_id, ticket_sha256, expires_at)
      select project_id, id, (select min(id) from tokens), sha256(id::text::bytea), now() from servers`,
    sql`insert into webhooks (project_id, name, url) select ${project}, md5(n::text), '' from ${rows}`,
    sql`insert into webhook_deliveries (project_id, webhook_id, event_id, type, message_id, status,
        next_attempt_at, expires_at, created_at)
      select ${project}, webhooks.id, n, 'server.started', n::text, ${oneOf('failed', 'pending', 'delivered')},
        case when ${isElsewhere} then now() end, now(), now() - ${age}
      from ${rows} join webhooks on webhooks.name = md5(case when ${isMine} then '1' else '3' end)
      order by n.n`,
    ...recordsOfServers(sql`id`),
  ];
}

/**
 * Inserts operations that have ended, events and audit entries: one each of a hundred thousand servers.
 * @param order of the servers, in which their rows are inserted
 */
export function recordsOfServers(order: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const servers = sql`(
    select *, row_number() over (order by ${order}) as n from servers order by ${order} limit ${sql.lit(manyRows)}
  ) servers`;
  return [
    sql`insert into operations (project_id, server_id, kind, status, step, message, deadline_at,
        created_at, finished_at)
      select project_id, id, ${oneOf('restart', 'stop', 'start')}, ${oneOf('failed', 'superseded', 'succeeded')},
        'done', '', now() - ${age}, now() - ${age}, now() - ${age}
      from ${servers} order by n`,
    sql`insert into events (type, project_id, server_id, labels, data, at)
      select ${oneOf('server.failed', 'server.stopped', 'server.started')}, project_id, id, labels,
        jsonb_build_object('server', jsonb_build_object(
          'id', id, 'uuid', uuid, 'hostname', hostname, 'status', status, 'location_id', location_id)),
        now() - ${age}
      from ${servers} order by n`,
    sql`insert into audit_entries (at, project_id, token_id, user_id, address, action, target_kind,
        target_id, status, request_id, source, by_administrator)
      select now() - ${age}, project_id, ${oneOf(1, 2, 3)}, ${oneOf(1, 2, 3)},
        ${oneOf('192.0.2.1', '192.0.2.2', '192.0.2.3')}::inet, ${oneOf('token_create', 'server_stop', 'server_start')},
        ${oneOf('token', 'location', 'server')}, case when ${isElsewhere} then 2 else id end,
        ${oneOf(403, 409, 202)}, 'request-' || n, 'api', false
      from ${servers} order by n`,
  ];
}

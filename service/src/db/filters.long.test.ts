import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import { routes } from '../routes.ts';
import { createTestApp } from '../testing/app.ts';
import { type PlanNode, planOf, recordStatements, rowsRead } from '../testing/explain.ts';
import { installation } from '../testing/fixtures.ts';
import { inject } from '../testing/inject.ts';
import { enterManyRows } from '../testing/many-rows.ts';
import { createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { createClient, createDb, createPool } from './connection.ts';

// Tests the query plans of each list with each of its filters in each of its orders, on tables of 100,000 rows.

const { db, connectionString, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const otherId = await createTestProject(db, 'other');
await enterManyRows(db, place, otherId);
const ownPool = createPool(connectionString, { max: 1 });
const recorded = recordStatements(ownPool);
const own = createDb(ownPool);
const client = createClient({ connectionString });
await client.connect();
const app = await createTestApp(own, [...routes]);
after(async () => {
  await app.close();
  await own.destroy();
  await client.end();
});

const owner = await createTestUser(db, { roles: { [place.projectId]: 'owner' } });
const administrator = await createTestUser(db, { isAdmin: true });
const callers = {
  'an owner': (await signInAs(app, owner.credentials)).headers,
  'an administrator': (await signInAs(app, administrator.credentials)).headers,
};

/** The maximum number of rows of a large table that may be read for a page of 20. */
const mostRows = 3000;
const large = await largeTables();
/** The tables of which a list shows the number of rows, which therefore must be counted. */
const counted: Record<string, string> = { address_pool_list: 'addresses' };

/** Finds the tables and partitions that have more rows than a page may read. */
async function largeTables(): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select relname::text as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r'
      and reltuples > ${mostRows}`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

async function idOf(table: 'locations' | 'nodes' | 'operating_systems' | 'sizes', name: string) {
  const column = table === 'operating_systems' ? 'slug' : 'name';
  const query = db.selectFrom(table).select('id').where(column, '=', name);
  return String((await query.executeTakeFirstOrThrow()).id);
}

const rareServer = await db
  .selectFrom('servers')
  .select(['id', 'hostname', 'created_at'])
  .where('group_name', '=', 'rare')
  .orderBy('id')
  .executeTakeFirstOrThrow();
const address = await db
  .selectFrom('addresses')
  .select('ip')
  .where('server_id', '=', rareServer.id)
  .executeTakeFirstOrThrow();
const amid = new Date(rareServer.created_at);
const later = new Date(amid.getTime() + 1_000_000);
const period = {
  from: [`${amid.toISOString()}&to=${later.toISOString()}`],
  to: [amid.toISOString()],
};
const bothOf = (table: Parameters<typeof idOf>[0], ending = '') =>
  Promise.all(['rare', 'elsewhere'].map((name) => idOf(table, name + ending)));

/** Of labels that few servers have or lack, and of those that many have. */
const selectors = [
  ...['env=rare', 'env=elsewhere', 'env=common', 'env in (rare,elsewhere)', 'env in (common,rare)'],
  ...[
    'env!=common',
    'env notin (common,elsewhere)',
    'env notin (rare)',
    'old',
    '!old',
    '!env',
    'nobody',
  ],
  ...['env=common,!old', 'env in (common,elsewhere),old', 'env=rare,old', '!nobody'],
  ...['number=77', 'number in (10,77),!old', 'env=rare,number=77', 'number>5,env=rare', '!number'],
];

/** The filters by name, for lists without values of their own. */
const usual: Record<string, string[]> = { q: ['abcd'] };
/** The tested values of filters, by list. Other filters are tested with all possible values. */
const values: Record<string, Record<string, string[]>> = {
  server_list: {
    ...{
      project_id: [`${place.projectId}`],
      status: ['error', 'stopped'],
      group: ['rare', 'elsewhere'],
    },
    ...{ q: [rareServer.hostname.slice(0, 4)], hostname: [rareServer.hostname], ip: [address.ip] },
    location_id: await bothOf('locations'),
    os_id: await bothOf('operating_systems'),
    node: await bothOf('nodes', '1'),
    size: await bothOf('sizes'),
    label_selector: selectors.map(encodeURIComponent),
    ...period,
  },
  operation_list: {
    ...{ project_id: [`${place.projectId}`], server_id: [`${rareServer.id}`] },
    ...{ status: ['failed', 'superseded', 'running'], kind: ['restart', 'stop', 'move'] },
    label_selector: selectors.map(encodeURIComponent),
    ...period,
  },
  audit_list: {
    ...{
      project_id: [`${place.projectId}`],
      action: ['token_create', 'server_stop', 'user_create'],
    },
    ...{ token_id: ['1', '2'], user_id: ['1', '2'], status: ['403', '409', '500'] },
    target_kind: ['token', 'location', 'user'],
    target_id: [`${rareServer.id}&target_kind=server`, '2&target_kind=location'],
    address: ['192.0.2.1', '192.0.2.2', '9.9.9.9'],
    request_id: ['request-77'],
    ...period,
  },
  project_list: { q: ['pabcd'] },
  location_list: { q: ['rare'] },
  size_list: { q: ['rare'], location_id: await bothOf('locations') },
  operating_system_list: { q: ['rare'], architecture: ['x86_64'] },
  node_list: { q: ['rare'], location_id: await bothOf('locations') },
  drift_list: {
    ...{ location_id: await bothOf('locations'), server_id: [`${rareServer.id}`] },
    ...period,
  },
  webhook_delivery_list: { event_id: ['10', '77'] },
  address_pool_list: { location_id: await bothOf('locations') },
  image_list: { location_id: await bothOf('locations') },
};

interface Filter {
  type?: string;
  enum?: string[];
  items?: Filter;
}

interface RouteSchema {
  operationId: string;
  querystring: { properties: Record<string, Filter> };
  response: { 200?: { type?: string } };
}

const lists = app.knownRoutes
  .filter(({ options }) => options.url.startsWith('/v1/') && options.method === 'GET')
  .map(({ options }) => ({ url: options.url, ...(options.schema as RouteSchema) }))
  .filter(({ response }) => response[200]?.type === 'array');

function valuesOf(operationId: string, name: string, filter: Filter): string[] {
  const given = values[operationId]?.[name] ?? usual[name];
  const all = filter.type === 'boolean' ? ['true', 'false'] : (filter.enum ?? filter.items?.enum);
  assert.ok(given ?? all, `${operationId} has a filter ${name}, for which this test needs values`);
  const [first, ...others] = given ?? all ?? [];
  // A list of two values is tested too, if the values are independent.
  const several = filter.items && others[0] && !`${first}${others}`.includes('&');
  return [...(given ?? all ?? []), ...(several ? [`${first},${others[0]}`] : [])];
}

const isPagination = (name: string) => ['limit', 'cursor', 'sort'].includes(name);

/** Generates the queries of a list: each filter separately, in each order. `checkPlans` also reads the second pages. */
function* queriesOf({ operationId, querystring }: RouteSchema): Generator<string> {
  const { sort, all_projects: all, ...filters } = querystring.properties;
  for (const order of sort?.enum ?? ['']) {
    const base = `?limit=20${order && `&sort=${order}`}`;
    for (const query of all ? [base, `${base}&all_projects=true`] : [base]) {
      yield query;
      for (const [name, filter] of Object.entries(filters)) {
        if (isPagination(name)) continue;
        for (const value of valuesOf(operationId, name, filter)) yield `${query}&${name}=${value}`;
      }
    }
  }
}

/** The pages whose plans have a problem, by the problem and the statement. */
type Problems = Record<string, string[]>;

interface Check {
  headers: Record<string, string>;
  /** The `operationId` of the list. */
  list: string;
  problems: Problems;
}

/** Records the problems of the query plans of a page and the next one. */
async function checkPlans(url: string, { headers, list, problems }: Check) {
  recorded.length = 0;
  const answer = await inject(app, { url, headers });
  // Only administrators can list the objects of all projects, and those without a project.
  if (answer.statusCode === 403) return;
  assert.equal(answer.statusCode, 200, `${url}: ${answer.body}`);
  for (const statement of recorded.filter(({ text }) => /^\s*(select|with)\b/i.test(text))) {
    for (const problem of (await planOf(client, statement)).map((node) => problemOf(node, list))) {
      if (!problem) continue;
      const key = `${problem}: ${statement.text}`;
      problems[key] = [...(problems[key] ?? []), url];
    }
  }
  const next = /^<([^>]+)>/.exec(String(answer.headers.link ?? ''))?.[1];
  if (next && !url.includes('cursor=')) await checkPlans(next, { headers, list, problems });
}

function problemOf(node: PlanNode, list: string): string | undefined {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index } = node;
  if (!large.has(table)) return undefined;
  if (type === 'Seq Scan') return `${table} is scanned`;
  if (rowsRead(node) <= mostRows || table === counted[list]) return undefined;
  return `over ${mostRows} rows of ${table} are read by ${index ?? type}`;
}

describe('a page of a list is read with an index', () => {
  assert.ok(lists.length >= 13);
  for (const list of lists) {
    for (const [who, headers] of Object.entries(callers)) {
      it(`${list.operationId} for ${who}, by each filter in each order`, async () => {
        const path = list.url.replace(
          ':id',
          String(list.operationId === 'image_list' ? place.osId : place.projectId),
        );
        const problems: Problems = {};
        for (const query of queriesOf(list))
          await checkPlans(path + query, { headers, list: list.operationId, problems });
        assert.deepEqual(problems, {});
      });
    }
  }

  it('server_list by labels, in a project of which half of the servers have none', async () => {
    const list = lists.find(({ operationId }) => operationId === 'server_list');
    assert.ok(list);
    const problems: Problems = {};
    const check = { headers: callers['an administrator'], list: list.operationId, problems };
    for (const query of queriesOf(list)) {
      if (!query.includes('label_selector') || query.includes('all_projects')) continue;
      await checkPlans(`${list.url}${query}&project_id=${otherId}`, check);
    }
    assert.deepEqual(problems, {});
  });
});

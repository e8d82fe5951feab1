import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { createTestDatabase } from '../testing/postgres.ts';

const source = fileURLToPath(new URL('..', import.meta.url));

const { db, close } = await createTestDatabase();
after(close);

/** The tables whose rows belong to a project. Who is its member is asked before anybody has one. */
async function ownedTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'v')
      and not c.relispartition and a.attname = 'project_id' and not a.attisdropped
      and c.relname <> 'memberships'`.execute(db);
  return rows.map(({ name }) => name);
}

/** What of these tables stands in a query that does not begin at a project. */
const directly = (tables: string[]) =>
  new RegExp(
    String.raw`\b(?:(?:selectFrom|updateTable|deleteFrom|insertInto|\w*[jJ]oin)\(\s*'|(?:from|join|update|into) )(?:${tables.join('|')})\b`,
  );

/** Who may, and why. */
const allowed: Record<string, string> = {
  'inspect/queries.ts': 'a tool of the operator, who sees all',
  'locations/queries.ts': 'counts what a location holds, whosever it is',
  'projects/members/queries.ts': 'ends the tokens of a member in the project that they leave',
  'metrics/queries.ts': 'measures the whole installation, for whoever runs it',
  'nodes/queries.ts': 'counts what a node holds, whosever it is',
  'projects/queries.ts': 'ends the tokens of the project that is deleted',
  'servers/queries.ts':
    'asks of a server that was found within its project whether it can be retried',
  'statements/queries.ts': 'bills the project of a path, also one that was deleted',
  'tokens/queries.ts': 'looks whether the maker of a token holds, which may be of another project',
};

// Files named ...-queries.ts are kept from routes and rules by .dependency-cruiser.cjs.
test('the queries of a folder access rows of a project only through Project', async () => {
  const tables = await ownedTables();
  assert.ok(['servers', 'operations', 'tokens', 'audit_log'].every((one) => tables.includes(one)));
  const direct = directly(tables);
  const files = globSync('**/queries.ts', { cwd: source });
  assert.ok(files.length > 10);
  const asking = files.filter((file) => direct.test(readFileSync(`${source}${file}`, 'utf8')));
  assert.deepEqual(asking.sort(), Object.keys(allowed).sort());
});

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { createTestDatabase } from '../testing/postgres.ts';

const source = fileURLToPath(new URL('..', import.meta.url));

const { db, close } = await createTestDatabase();
after(close);

/**
 * The tables whose rows belong to a project. Memberships are excluded, because they are read before the project is
 * known.
 */
async function ownedTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'v')
      and not c.relispartition and a.attname = 'project_id' and not a.attisdropped
      and c.relname <> 'memberships'`.execute(db);
  return rows.map(({ name }) => name);
}

/** Matches the use of these tables in a query that is not limited to a project. */
const directly = (tables: string[]) =>
  new RegExp(
    String.raw`\b(?:(?:selectFrom|updateTable|deleteFrom|insertInto|\w*[jJ]oin)\(\s*'|(?:from|join|update|into) )(?:${tables.join('|')})\b`,
  );

/** The files that may use such queries, with the reasons. */
const allowed: Record<string, string> = {
  'drift/queries.ts': 'shows administrators the drift of all projects, and frees a MAC address',
  'inspect/queries.ts': 'the tool of an administrator, who can see all rows',
  'locations/queries.ts': 'counts the objects of a location in all projects',
  'operations/queries.ts':
    'shows whether an operation can be cancelled, by the protection of its server',
  'projects/members/queries.ts': 'ends the tokens of a member in the project that they leave',
  'metrics/queries.ts': 'measures the whole installation',
  'nodes/queries.ts': 'counts the objects of a node in all projects',
  'projects/queries.ts': 'ends the tokens of the project that is deleted',
  'servers/queries.ts': 'checks whether a server can be retried that was found in its project',
  'sizes/queries.ts': 'counts the servers of a size in all projects',
  'statements/queries.ts': 'bills the project of a path, which may have been deleted',
  'tokens/queries.ts': 'checks the creator of a token, which may belong to another project',
};

// .dependency-cruiser.cjs prevents routes and rules from importing files named ...-queries.ts, which are not tested
// here.
test('the queries of a folder access rows of a project only through Project', async () => {
  const tables = await ownedTables();
  assert.ok(['servers', 'operations', 'tokens', 'audit_log'].every((one) => tables.includes(one)));
  const direct = directly(tables);
  const files = globSync('**/queries.ts', { cwd: source });
  assert.ok(files.length > 10);
  const found = files.filter((file) => direct.test(readFileSync(`${source}${file}`, 'utf8')));
  assert.deepEqual(found.sort(), Object.keys(allowed).sort());
});

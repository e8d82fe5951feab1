import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

// A text that varies with its values takes a name each time. So lists of values are passed as one
// array, `= any($1)`; here is what else puts a list into a text, and why it may.

const service = new URL('../../', import.meta.url);

/** Places that build a text from a list, as they are found in the code. */
const building = {
  'in (…) of a list or a subquery': /'(?:not )?in',\s*[a-z]| in \(\$\{/,
  'sql.join': /\bsql\.join\(/,
  'insert of a list of rows': /\.values\((?!\{|\))/,
};
type Building = keyof typeof building;

/** By file, why each of these ways is no trouble. */
const allowed: Record<string, Partial<Record<Building, string>>> = {
  'address-pools/queries.ts': { 'sql.join': 'one or two addresses, by the family' },
  'db/filters.ts': {
    'in (…) of a list or a subquery': 'marked as planned by its values',
    'sql.join': 'marked as planned by its values',
  },
  'db/project.ts': { 'insert of a list of rows': 'one row, of the columns that its caller names' },
  'locations/queries.ts': { 'insert of a list of rows': 'one row' },
  'operating-systems/catalogue-queries.ts': {
    'insert of a list of rows': 'the catalogue, at the start only',
  },
  'retention/audit-queries.ts': { 'in (…) of a list or a subquery': 'a subquery' },
  'tokens/credential-queries.ts': { 'in (…) of a list or a subquery': 'subqueries' },
  'usage/history/retention-queries.ts': { 'sql.join': 'marked as varying' },
  'usage/queries.ts': { 'sql.join': 'one to three tables, by the window' },
  'usage/record/figure-queries.ts': { 'sql.join': 'marked as varying' },
  'users/belongings-queries.ts': { 'in (…) of a list or a subquery': 'a subquery' },
};

test('each place that puts a list into the text of a statement is known', () => {
  const found = readdirSync(service, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|[/-])queries\.ts$|^db\/[a-z-]+\.ts$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(new URL(file, service), 'utf8');
      const ways = Object.entries(building).filter(([, pattern]) => pattern.test(text));
      return ways.map(([way]) => `${file}: ${way}`);
    });
  const known = Object.entries(allowed).flatMap(([file, ways]) =>
    Object.keys(ways).map((way) => `${file}: ${way}`),
  );
  assert.deepEqual(found.toSorted(), known.toSorted());
});

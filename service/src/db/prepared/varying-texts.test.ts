import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

// A text that varies with its values uses a new name each time. Lists of values are therefore passed as one array,
// `= any($1)`. This test lists the other places that vary a text, by file, and why each is acceptable.

const service = new URL('../../', import.meta.url);

/** The patterns of code that builds a text. */
const building = {
  'in (…) of a list or a subquery': /'(?:not )?in',\s*[a-z]| in \(\$\{/g,
  'sql.join': /\bsql\.join\(/g,
  'insert of a list of rows': /\.values\((?!\{|\))/g,
  'or, and of a list': /\b(?:or|and)\((?!\[)|\b(?:or|and)\(\[[^\]]*(?:\.\.\.|\.map\()/g,
  'name in a variable': /\bsql\.(?:ref|id|table)\((?!'[^']*'\))/g,
  'sql.raw': /\bsql\.raw\(/g,
};
type Building = keyof typeof building;

/** How often each pattern may occur in a file, and why it is acceptable. */
const allowed: Record<string, Partial<Record<Building, readonly [times: number, why: string]>>> = {
  'address-pools/queries.ts': { 'sql.join': [1, 'one or two addresses, by the family'] },
  'db/expiry.ts': { 'name in a variable': [1, 'columns that are named in the code'] },
  'db/filters.ts': {
    'in (…) of a list or a subquery': [1, 'marked as planned by its values'],
    'sql.join': [3, 'marked as planned by its values'],
    'name in a variable': [6, 'columns that are named in the code'],
    'sql.raw': [2, 'the marks themselves'],
  },
  'db/keyset.ts': {
    'name in a variable': [3, 'the orders of lists'],
    'sql.raw': [1, 'one of two operators'],
  },
  'db/listing.ts': { 'name in a variable': [5, 'the orders of lists'] },
  'db/notifications.ts': { 'sql.join': [1, 'the fields of one kind of notification'] },
  'db/project.ts': {
    'insert of a list of rows': [1, 'one row, of the columns that its caller names'],
  },
  'inspect/queries.ts': {
    'name in a variable': [2, 'columns that are named in the code'],
  },
  'keys/rotation-queries.ts': {
    'name in a variable': [10, 'the columns of encrypted values'],
    'sql.raw': [5, 'the columns of encrypted values'],
  },
  'labels/queries.ts': {
    'sql.join': [1, 'marked as planned by its values'],
    'name in a variable': [2, 'columns that are named in the code'],
  },
  'locations/queries.ts': {
    'insert of a list of rows': [1, 'one row'],
    'name in a variable': [2, 'columns that are named in the code'],
  },
  'network-policy/queries.ts': {
    'name in a variable': [3, 'the row before and after a change'],
  },
  'operating-systems/catalogue-queries.ts': {
    'insert of a list of rows': [1, 'the catalogue, at the start only'],
  },
  'operations/lease-queries.ts': {
    'name in a variable': [1, 'columns that are named in the code'],
  },
  'operations/queries.ts': { 'in (…) of a list or a subquery': [1, 'a subquery'] },
  'projects/queries.ts': {
    'name in a variable': [1, 'tables that are named in the code'],
  },
  'retention/audit-queries.ts': {
    'in (…) of a list or a subquery': [2, 'a subquery'],
    'name in a variable': [5, 'marked as varying, or changes tables'],
  },
  'servers/queries.ts': {
    'name in a variable': [2, 'tables that are named in the code'],
  },
  'tokens/credential-queries.ts': { 'in (…) of a list or a subquery': [2, 'subqueries'] },
  'usage/history/history-queries.ts': {
    'name in a variable': [
      10,
      'tables of resolutions; new partitions are marked as varying, or change tables',
    ],
  },
  'usage/history/retention-queries.ts': {
    'sql.join': [1, 'marked as varying'],
    'name in a variable': [3, 'marked as varying, or changes tables'],
  },
  'usage/queries.ts': {
    'sql.join': [1, 'one to three tables, by the window'],
    'name in a variable': [2, 'columns and tables of usage'],
  },
  'usage/record/figure-queries.ts': {
    'sql.join': [1, 'marked as varying'],
    'name in a variable': [1, 'columns that are named in the code'],
  },
  'users/belongings-queries.ts': { 'in (…) of a list or a subquery': [1, 'a subquery'] },
};

/** Counts the matches of each pattern in a text. */
function countsIn(text: string): [way: string, times: number][] {
  const counts = Object.entries(building).map(([way, pattern]): [string, number] => [
    way,
    [...text.matchAll(pattern)].length,
  ]);
  return counts.filter(([, times]) => times > 0);
}

test('each place that varies the text of a statement is known', () => {
  const found = readdirSync(service, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|[/-])queries\.ts$|^db\/.*(?<!\.test)\.ts$/.test(file))
    .flatMap((file) => {
      const counts = countsIn(readFileSync(new URL(file, service), 'utf8'));
      return counts.map(([way, times]) => `${file}: ${way}: ${times}`);
    });
  const known = Object.entries(allowed).flatMap(([file, ways]) =>
    Object.entries(ways).map(([way, [times]]) => `${file}: ${way}: ${times}`),
  );
  assert.deepEqual(found.toSorted(), known.toSorted());
});

test('the patterns match code', () => {
  for (const [code, way] of [
    ["where('id', 'in', ids)", 'in (…) of a list or a subquery'],
    ['sql.join(values)', 'sql.join'],
    ["insertInto('a').values(rows)", 'insert of a list of rows'],
    ['where((eb) => eb.or(conditions))', 'or, and of a list'],
    ['eb.or([first, ...others])', 'or, and of a list'],
    ['eb.and(ids.map((id) => isOne(id)))', 'or, and of a list'],
    ['sql.ref(column)', 'name in a variable'],
    ['sql.table(name)', 'name in a variable'],
    ['sql.raw(text)', 'sql.raw'],
  ] as const) {
    assert.deepEqual(countsIn(code), [[way, 1]], code);
  }
  const fixed = "eb.or([eb('a', '=', 1), eb('b', '=', 2)]), sql.ref('a'), values({ a })";
  assert.deepEqual(countsIn(fixed), []);
});

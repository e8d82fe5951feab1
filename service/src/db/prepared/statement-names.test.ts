import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStatementNames, plannedByValues, textVaries } from './statement-names.ts';

/** The name of a text from its second use on. */
const nameIn = (names = createStatementNames(), text = 'select 1') =>
  (names.of(text) ?? names.of(text))?.name;

test('a text gets a name on its second use, and keeps it', () => {
  const names = createStatementNames();
  assert.equal(names.of('select $1'), undefined);
  const { name = '' } = names.of('select $1') ?? {};
  assert.match(name, /^berth_\S+$/);
  // PostgreSQL truncates longer names (its documentation, "Identifiers and Key Words").
  assert.ok(name.length < 64);
  assert.equal(names.of('select $1')?.name, name);
  assert.notEqual(nameIn(names, 'select $2'), name);
});

test('a text has the same name in every process', () => {
  assert.equal(nameIn(createStatementNames()), nameIn(createStatementNames()));
});

test('the number of names is limited, regardless of the number of texts', () => {
  const names = createStatementNames(3);
  const texts = Array.from({ length: 10 }, (_, index) => `select ${index}`);
  assert.deepEqual(
    texts.filter((text) => nameIn(names, text)),
    texts.slice(0, 3),
  );
});

test('the names in use are counted up to their limit, and from zero after a renewal', () => {
  const names = createStatementNames(2);
  assert.equal(names.limit, 2);
  const sizes = ['select 1', 'select 2', 'select 3'].map((text) => {
    names.of(text);
    const before = names.size;
    names.of(text);
    return [before, names.size];
  });
  assert.deepEqual(sizes, [
    [0, 1],
    [1, 2],
    [2, 2],
  ]);
  names.renew(0);
  assert.equal(names.size, 0);
});

const withoutName = [
  ...['begin', ' COMMIT', 'savepoint a', 'select 1; select 2', 'notify a'],
  `select ${plannedByValues} 1`,
  `insert into a ${textVaries} values (1), (2)`,
];

for (const text of withoutName) {
  test(`this statement gets no name: ${text}`, () =>
    assert.equal(nameIn(createStatementNames(), text), undefined));
}

test('after a renewal all names are new, and another report of the earlier ones changes nothing', () => {
  const names = createStatementNames();
  const before = nameIn(names);
  names.renew(0);
  const after = nameIn(names);
  assert.notEqual(after, before);
  names.renew(0);
  assert.equal(nameIn(names), after);
});

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as types from '@babel/types';
import { linesOfDiff } from './changed.ts';
import { codeOf } from './mutate.ts';
import { queryClause, sqlCondition } from './mutators.ts';
import { rooms } from './rooms.ts';
import { explainedSurvivors, type Mutant, percent, scoreOf } from './survivors.ts';

const mutant: Mutant = {
  file: 'a.ts',
  line: 1,
  mutator: 'QueryClause',
  original: "q.where('a')",
  replacement: 'q',
  status: 'Survived',
};

test('a clause of a query is left out', () => {
  const call = (name: string) =>
    types.callExpression(
      types.memberExpression(types.identifier('query'), types.identifier(name)),
      [],
    );
  const [without] = queryClause.mutate({ node: call('where') });
  assert.ok(types.isIdentifier(without, { name: 'query' }));
  assert.deepEqual([...queryClause.mutate({ node: call('execute') })], []);
});

test('each condition of SQL is made to count for nothing, by itself', () => {
  const text = 'select 1 where a and b or c';
  const quasi = types.templateLiteral([types.templateElement({ raw: text }, true)], []);
  const changes = [
    ...sqlCondition.mutate({
      node: types.taggedTemplateExpression(types.identifier('sql'), quasi),
    }),
  ];
  assert.deepEqual(
    changes.map(
      (node) => types.isTaggedTemplateExpression(node) && node.quasi.quasis[0]?.value.raw,
    ),
    [
      'select 1 where true or a and b or c',
      'select 1 where a and true or b or c',
      'select 1 where a and b or false and c',
    ],
  );
  const other = types.taggedTemplateExpression(types.identifier('html'), quasi);
  assert.deepEqual([...sqlCondition.mutate({ node: other })], []);
});

test('what was noticed counts, what was explained does not, and what does not run says nothing', () => {
  const mutants = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError'].map(
    (status, line) => ({ ...mutant, line, status, original: `${line}` }),
  );
  const score = scoreOf(mutants, [{ ...mutant, original: '3', why: 'A test.' }]);
  assert.deepEqual([score.noticed, score.counted], [2, 3]);
  assert.deepEqual(
    score.unexplained.map(({ status }) => status),
    ['Survived'],
  );
  assert.equal(percent(score), 66.6);
  assert.equal(percent(scoreOf([], [])), 100);
});

test('the new lines of a diff are found', () => {
  const diff = [
    '--- a/x.ts',
    '+++ b/x.ts',
    '@@ -3,2 +3,4 @@ a',
    '@@ -9 +11 @@',
    '@@ -12,3 +13,0 @@',
    '--- /dev/null',
    '+++ b/y.ts',
    '@@ -0,0 +1,7 @@',
  ];
  assert.deepEqual(linesOfDiff(diff.join('\n')), [
    { file: 'x.ts', from: 3, to: 6 },
    { file: 'x.ts', from: 11, to: 11 },
    { file: 'y.ts', from: 1, to: 7 },
  ]);
});

test('each room has code and tests, and each explanation is about code that is there', () => {
  for (const [name, room] of Object.entries(rooms)) {
    assert.ok(codeOf(room).length > 0, name);
    for (const tests of room.tests) assert.ok(globSync(tests).length > 0, tests);
  }
  for (const { file, original, why } of explainedSurvivors()) {
    assert.ok(existsSync(file), file);
    const text = readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ');
    assert.ok(text.includes(original), `${file} no longer has ${original}`);
    assert.notEqual(why, '');
  }
});

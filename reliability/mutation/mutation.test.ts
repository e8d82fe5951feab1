import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as types from '@babel/types';
import { createRandom } from '../../service/src/testing/random.ts';
import { commitOf, linesOfDiff } from './changed.ts';
import { type Mutant, textAt } from './mutant.ts';
import { codeOf } from './mutate.ts';
import { queryClause, sqlCondition } from './mutators.ts';
import { rooms } from './rooms.ts';
import { choose, orderTests, type Plan } from './sampler.ts';
import { explainedSurvivors, isTooLow, percent, scoreOf, sumOf } from './survivors.ts';
import { createTestOrder } from './test-order.ts';

const mutant: Mutant = {
  file: 'a.ts',
  line: 1,
  mutator: 'QueryClause',
  original: "q.where('a')",
  replacement: 'q',
  status: 'Survived',
};

test('a mutation removes a clause of a query', () => {
  const call = (name: string) =>
    types.callExpression(
      types.memberExpression(types.identifier('query'), types.identifier(name)),
      [],
    );
  const [without] = queryClause.mutate({ node: call('where') });
  assert.ok(types.isIdentifier(without, { name: 'query' }));
  assert.deepEqual([...queryClause.mutate({ node: call('execute') })], []);
});

test('a mutation neutralizes one condition of SQL, and never changes comments', () => {
  const text = 'select 1 -- where this and that\nwhere a and b or c';
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
      'select 1 -- where this and that\nwhere true or a and b or c',
      'select 1 -- where this and that\nwhere a and true or b or c',
      'select 1 -- where this and that\nwhere a and b or false and c',
    ],
  );
  const other = types.taggedTemplateExpression(types.identifier('html'), quasi);
  assert.deepEqual([...sqlCondition.mutate({ node: other })], []);
});

test('the score counts killed mutants, ignores explained ones, and skips those that cannot run', () => {
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

test('the score of a whole room must reach the threshold, and that of a sample nearly', () => {
  const of = (some: number, counted: number) => ({ noticed: some, counted, unexplained: [] });
  assert.equal(isTooLow(of(90, 100), false), false);
  assert.equal(isTooLow(of(89, 100), false), true);
  assert.equal(isTooLow(of(4, 5), true), false);
  assert.equal(isTooLow(of(84, 100), true), false);
  assert.equal(isTooLow(of(83, 100), true), true);
  assert.equal(isTooLow(of(0, 0), true), false);
  assert.deepEqual(sumOf([of(4, 5), of(3, 3)]), of(7, 8));
});

const at = (fileName: string, line: number) => ({ fileName, location: { start: { line } } });

test('a seed selects the same sample again', () => {
  const drawn = (seed: number) => {
    const plans = Array.from({ length: 20 }, (_, id): Plan & { id: number } => ({
      id,
      mutant: { ...at('a.ts', 1), ...(id === 0 && { status: 'Ignored' }) },
    }));
    choose(plans, { count: 5, seed });
    return plans;
  };
  const first = drawn(1);
  assert.equal(first.length, 5);
  assert.deepEqual(first, drawn(1));
  assert.notDeepEqual(first, drawn(2));
  for (const { mutant } of first) assert.equal(mutant.status, undefined);
  assert.deepEqual(createRandom(4).shuffled([1, 2, 3]).sort(), [1, 2, 3]);
});

test('the fastest tests of a mutant run first, until slower ones have detected more mutants near it per second', () => {
  const order = createTestOrder(new Map(Object.entries({ fast: 1, slow: 90, medium: 5 })));
  const places = ['a.ts:50', 'a.ts:250', 'b.ts:50'];
  const plans = places.map((place) => {
    const [fileName = '', line] = place.split(':');
    const runOptions = { testFilter: ['slow', 'fast', 'medium'] };
    return { mutant: at(fileName, Number(line)), runOptions };
  });
  const tests = () => plans.map(({ runOptions }) => runOptions.testFilter);
  const fastestFirst = ['fast', 'medium', 'slow'];
  orderTests(plans, order);
  assert.deepEqual(tests(), [fastestFirst, fastestFirst, fastestFirst]);
  for (let count = 0; count < 2; count += 1) order.detected({ file: 'a.ts', line: 51 }, 'medium');
  orderTests(plans, order, 'b.ts');
  assert.deepEqual(tests(), [fastestFirst, fastestFirst, fastestFirst]);
  orderTests(plans, order);
  assert.deepEqual(tests(), [['medium', 'fast', 'slow'], fastestFirst, fastestFirst]);
});

test('a mutant is shown with the original text', () => {
  const file = import.meta.filename;
  const [, line = ''] = readFileSync(file, 'utf8').split('\n');
  const location = { start: { line: 2, column: 8 }, end: { line: 2, column: 12 } };
  assert.equal(textAt(file, location), line.slice(7, 11));
});

test('the start of the changes is a Git reference or a time', () => {
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  assert.equal(commitOf('HEAD'), head);
  assert.equal(commitOf('0 seconds ago'), head);
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

test('each room has existing code and tests, and each explanation is about existing code', () => {
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

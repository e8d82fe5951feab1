import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explanations } from '../problems/explanations.ts';
import { type ProblemCode, problems } from '../problems/problem.ts';
import { errorsPage } from './errors-page.ts';

const codes = Object.keys(problems) as ProblemCode[];
const rows = new Map(
  Array.from(
    errorsPage().matchAll(/^<tr id="(\w+)">(.*)<\/tr>$/gm),
    ([, code = '', cells = '']) => [
      code,
      Array.from(cells.matchAll(/<td>(.*?)<\/td>/g), ([, cell = '']) => cell),
    ],
  ),
);

test('the page has a row for each code, with its meaning, cause and remedy', () => {
  assert.deepEqual([...rows.keys()], codes);
  for (const code of codes) {
    const [status, title] = problems[code];
    const cells = rows.get(code) ?? [];
    assert.deepEqual(cells.slice(0, 2), [`<code>${code}</code>`, String(status)]);
    assert.equal(cells.length, 6, code);
    assert.equal(cells[2], title.replaceAll('&', '&amp;'));
    for (const cell of cells.slice(3)) assert.match(cell, /^[A-Z<].*[.)]$/, code);
  }
});

test('refused requests and failed operations have separate tables with headings', () => {
  const [, requests = '', operations = '', ...others] = errorsPage().split('<h2>');
  assert.equal(others.length, 0);
  assert.match(requests, /^Refused requests<\/h2>.*id="name_taken"/s);
  assert.match(operations, /^Failed operations<\/h2>.*id="guest_paused"/s);
  assert.ok(!requests.includes('id="guest_paused"') && !operations.includes('id="name_taken"'));
});

test('each explanation has whole sentences, and says whether to retry', () => {
  for (const [code, [when, action, retry]] of Object.entries(explanations)) {
    for (const text of [when, action]) assert.match(text, /^[A-Z`].{8,}\.$/, code);
    assert.equal((when + action).split('`').length % 2, 1, `${code}: each backquote has its pair`);
    assert.ok(['no', 'after_change', 'later'].includes(retry), code);
  }
});

test('temporary refusals can be retried', () => {
  for (const code of ['rate_limited', 'operation_in_progress', 'unavailable'] as const) {
    assert.equal(explanations[code][2], 'later');
    assert.match(rows.get(code)?.[5] ?? '', /^Yes/);
  }
  const refused = codes.filter((code) => problems[code][0] === 422 || problems[code][0] === 404);
  assert.deepEqual(
    refused.filter((code) => explanations[code][2] === 'later'),
    [],
  );
});

test('HTML is escaped', () => {
  const texts = [...rows.values()]
    .flat()
    .join('')
    .replaceAll(/<\/?code>/g, '');
  assert.doesNotMatch(texts, /[<>]|&(?!amp;|lt;|gt;)/);
});

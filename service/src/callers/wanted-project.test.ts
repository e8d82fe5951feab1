import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { noSuchProject, wantedProject } from './wanted-project.ts';

const wanted = (text?: string) =>
  wantedProject({ headers: { 'berth-project': text } } as unknown as FastifyRequest);

test('a project is named by its id or its name, or not at all', () => {
  assert.equal(wanted(), undefined);
  assert.deepEqual(wanted('17'), { id: 17 });
  for (const name of ['web', '7 x', 'a.b_c-d', 'x'.repeat(64)]) {
    assert.deepEqual(wanted(name), { name });
  }
});

test('a text that can not be the name of a project is not found', () => {
  for (const text of ['', '0', '007', '9'.repeat(20), 'é', 'a/b', 'x'.repeat(65)]) {
    assert.throws(() => wanted(text), { code: 'project_not_found' }, text);
  }
});

test('the error for an unknown project quotes the request, and shortens long names', () => {
  const detailOf = (named: string) => noSuchProject(named).message;
  assert.equal(detailOf('17'), 'No project has the id 17.');
  assert.equal(detailOf('17a'), 'No project is called 17a.');
  assert.equal(detailOf('a17'), 'No project is called a17.');
  assert.equal(detailOf(''), 'No project is called "".');
  assert.equal(detailOf(' '), 'No project is called " ".');
  const longest = 'x'.repeat(40);
  assert.equal(detailOf(longest), `No project is called ${longest}.`);
  assert.equal(detailOf(`${longest}x`), `No project is called ${longest}….`);
});

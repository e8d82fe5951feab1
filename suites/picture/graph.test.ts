import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Module } from '../imports.ts';
import type { Box } from './boxes.ts';
import { graphOf } from './graph.ts';

const box = (folder: string, more: Partial<Box> = {}): Box => ({
  ...{ about: folder, folders: [folder], kind: 'noun' },
  ...more,
});
const imports = (from: string, ...to: string[]): Module => ({
  file: `service/src/${from}`,
  imports: to.map((one) => ({ file: `service/src/${one}`, typesOnly: false })),
});
const files = ['a/a.ts', 'b/b.ts', 'c/c.ts'];
const [a, b, c] = ['a', 'b', 'c'].map((folder) => box(folder)) as [Box, Box, Box];
const modules = (...found: Module[]) => [...found, ...files.map((file) => imports(file))];

test('an arrow that a longer path implies is omitted', () => {
  const found = modules(imports('a/a.ts', 'b/b.ts', 'c/c.ts'), imports('b/inner/b.ts', 'c/c.ts'));
  assert.deepEqual(graphOf(found, [a, b, c]), {
    down: [
      { from: 0, to: 1 },
      { from: 1, to: 2 },
    ],
    up: [],
  });
  const { down } = graphOf(found, [a, b, box('c', { allArrows: true })]);
  assert.equal(down.length, 3);
});

test('an import of a higher box is an exception', () => {
  const { down, up } = graphOf(modules(imports('c/c.ts', 'a/a.ts')), [a, b, c]);
  assert.deepEqual({ down, up }, { down: [], up: [{ from: 2, to: 0 }] });
});

test('imports of the foundation and of types have no arrow', () => {
  const typesOnly: Module = {
    file: 'service/src/a/a.ts',
    imports: [{ file: 'service/src/b/b.ts', typesOnly: true }],
  };
  const found = modules(typesOnly, imports('a/a.ts', 'c/c.ts'));
  const boxes = [a, b, box('c', { kind: 'foundation' })];
  assert.deepEqual(graphOf(found, boxes), { down: [], up: [] });
});

test('a folder that no box names belongs to the default box', () => {
  const boxes = [a, box('b', { takesOthers: true })];
  const { down } = graphOf(modules(imports('a/a.ts', 'c/c.ts')), boxes);
  assert.deepEqual(down, [{ from: 0, to: 1 }]);
});

test('a folder without a box, and a box without its folder, are errors', () => {
  assert.throws(() => graphOf(modules(), [a, b]), /^Error: c needs a place in a box/);
  assert.throws(() => graphOf(modules(), [a, b, c, box('d')]), /a box for d, which does not exist/);
});

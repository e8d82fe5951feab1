import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayChange, projectToShow } from './projects.ts';

const projects = [
  { id: 3, name: 'web', role: 'viewer' as const },
  { id: 1, name: 'default', role: 'member' as const },
];

test('the chosen project is shown, and otherwise the first one', () => {
  assert.equal(projectToShow(projects, '1')?.name, 'default');
  for (const chosen of [null, '', '7', 'web'])
    assert.equal(projectToShow(projects, chosen)?.name, 'web');
  assert.equal(projectToShow([], '1'), undefined);
});

test('viewers cannot change servers, and administrators can', () => {
  assert.deepEqual(projects.map(mayChange), [false, true]);
  assert.equal(mayChange({ id: 1, name: 'default' }), true);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf } from './form.ts';

test('what was entered becomes the body', () => {
  const form = new FormData();
  const entered = { slug: 'fedora-43', name: 'Fedora', version: '43', ram: '512', disk: '' };
  const source = { server: 'https://images.example', alias: 'fedora/43/cloud' };
  for (const [name, value] of Object.entries({ ...entered, ...source })) form.set(name, value);
  assert.deepEqual(bodyOf(form), {
    ...{ slug: 'fedora-43', name: 'Fedora', version: '43', type: 'container', source },
    minimum: { ram: 512, disk: Number.NaN },
  });
});

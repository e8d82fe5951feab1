import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BerthError } from '@berth/client';
import type { Values } from './form.ts';
import { shownErrors } from './shown-errors.ts';

const sent: Values = {
  ...{ name: 'no!', location_id: '1', os_id: '2', size: '', labels: 'team=-' },
  ...{ cpu: 2, ram: 2048, disk: 20, ssh_keys: ['5'], password_login: true, password: '' },
  ...{ initialCommands: [{ key: 3, text: 'too long' }], user_data: '' },
};
const errors = [
  { pointer: '/name', detail: 'Must be a host name.' },
  { pointer: '/labels/team', detail: 'Is not valid.' },
  { pointer: '/initialCommands/0', detail: 'Is too long.' },
];
const error = new BerthError('validation_failed', 'No.', { errors });

test('errors are shown at what was sent', () => {
  const shown = shownErrors(error, sent, sent);
  assert.equal(shown.errors.name, 'Must be a host name.');
  assert.equal(shown.errors.labels, 'team: Is not valid.');
  assert.deepEqual([...shown.ofCommands], [[3, 'Is too long.']]);
  assert.equal(shown.rest, false);
});

test('an error disappears when its field is changed', () => {
  const name = shownErrors(error, { ...sent, name: 'web-1' }, sent);
  assert.equal(name.errors.name, undefined);
  assert.equal(name.errors.labels, 'team: Is not valid.');
  const initialCommands = [{ key: 3, text: 'true' }];
  const commands = shownErrors(error, { ...sent, initialCommands }, sent);
  assert.equal(commands.ofCommands.size, 0);
  assert.equal(commands.errors.initialCommands, undefined);
});

test('what must be chosen is shown once somebody has tried to create', () => {
  const values = { ...sent, os_id: '' };
  assert.deepEqual(shownErrors(null, values, undefined).errors, {});
  assert.equal(shownErrors(null, values, values).errors.os_id, 'Choose an operating system.');
});

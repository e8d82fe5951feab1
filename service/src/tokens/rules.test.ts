import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import type { Caller } from '../callers/app-types.ts';
import { invalidFields, Problem } from '../problems/problem.ts';
import { rulesErrors, withRules } from './rules.ts';

const now = Date.parse('2030-01-01T00:00:00.000Z');
before(() => mock.timers.enable({ apis: ['Date'], now }));
after(() => mock.timers.reset());

const caller = (more: Partial<Caller> = {}) =>
  ({
    scopes: ['servers:write'],
    expiresAt: null,
    allowedNetworks: [],
    ...more,
  }) as unknown as Caller;

test('omitted rules, and rules within those of the caller, are valid', () => {
  assert.deepEqual(rulesErrors({}, caller()), []);
  const scopes = ['servers:write', 'servers:read'] as const;
  assert.deepEqual(rulesErrors({ scopes: [...scopes] }, caller()), []);
  const expiresAt = '2030-02-01T00:00:00.000000Z';
  const bounded = caller({ expiresAt, allowedNetworks: ['10.0.0.0/8'] });
  assert.deepEqual(rulesErrors({}, bounded), []);
});

test('each scope that the caller lacks is an error with its index', () => {
  assert.deepEqual(rulesErrors({ scopes: ['servers:read', 'admin', 'metrics:read'] }, caller()), [
    { pointer: '/scopes/1', detail: 'You do not have the scope admin yourself.' },
    { pointer: '/scopes/2', detail: 'You do not have the scope metrics:read yourself.' },
  ]);
});

const pointer = '/expires_at';

test('the expiry must be in the future', () => {
  const past = [{ pointer, detail: 'Must be in the future.' }];
  assert.deepEqual(rulesErrors({ expires_at: '2030-01-01T00:00:00Z' }, caller()), past);
  assert.deepEqual(rulesErrors({ expires_at: '2029-12-31T23:59:59.999999Z' }, caller()), past);
  assert.deepEqual(rulesErrors({ expires_at: '2030-01-01T00:00:00.001Z' }, caller()), []);
});

test('the expiry must not be later than that of the caller, to the microsecond', () => {
  const expiresAt = '2030-02-01T00:00:00.500000Z';
  const wrong = [{ pointer, detail: `Must not be later than your own expiry, ${expiresAt}.` }];
  const errors = (expires_at: string) => rulesErrors({ expires_at }, caller({ expiresAt }));
  for (const time of [
    '2030-02-01T00:00:00Z',
    '2030-02-01T00:00:00.5Z',
    '2030-02-01T02:00:00.500000+02:00',
    '2030-02-01T00:00:00.4999999Z',
  ]) {
    assert.deepEqual(errors(time), [], time);
  }
  for (const time of [
    '2030-02-01T00:00:00.500001Z',
    '2030-02-01T00:00:00.51Z',
    '2030-02-01T00:00:01Z',
    '2030-02-01T00:00:00.5-00:01',
  ]) {
    assert.deepEqual(errors(time), wrong, time);
  }
});

test('networks must be within those of the caller, and not empty if the caller has some', () => {
  const own = ['10.0.0.0/8', '2001:db8::/32'];
  const errors = (allowed_networks: string[], allowedNetworks = own) =>
    rulesErrors({ allowed_networks }, caller({ allowedNetworks }));
  assert.deepEqual(errors(['10.1.0.0/16', '2001:db8::1']), []);
  assert.deepEqual(errors(['10.1.0.0/16', '11.0.0.0/8', 'nonsense']), [
    {
      pointer: '/allowed_networks/1',
      detail: 'Must be within your own networks, 10.0.0.0/8, 2001:db8::/32.',
    },
    {
      pointer: '/allowed_networks/2',
      detail: 'Must be a network such as 203.0.113.0/24 or 2001:db8::/32.',
    },
  ]);
  assert.deepEqual(errors([]), [
    {
      pointer: '/allowed_networks',
      detail: 'Must not be empty, because you are restricted to 10.0.0.0/8, 2001:db8::/32.',
    },
  ]);
  assert.deepEqual(errors([], []), []);
  assert.deepEqual(errors(['11.0.0.0/8'], []), []);
});

test('errors of the rules are added to those of the schema, for other fields', () => {
  const errors = [
    { pointer: '/scopes/0', detail: 'Is none.' },
    { parameter: 'colour', detail: 'Is unknown.' },
  ];
  const body = { scopes: ['admin'], expires_at: '2020-01-01T00:00:00Z' };
  const told = withRules(invalidFields(errors), { body, caller: caller() });
  assert.ok(told instanceof Problem);
  assert.deepEqual(told.errors, [...errors, { pointer, detail: 'Must be in the future.' }]);
  const without = withRules(invalidFields(errors), { body: null, caller: caller() });
  assert.ok(without instanceof Problem);
  assert.deepEqual(without.errors, errors);
});

test('other errors are not changed', () => {
  const request = { body: { scopes: ['admin'] }, caller: caller() };
  const errors = [{ pointer: '/scopes/0', detail: 'x' }];
  for (const error of [
    new Error('x'),
    Object.assign(new Error('x'), { code: 'validation_failed', errors }),
    new Problem('name_taken', 'x', { errors }),
    new Problem('validation_failed', 'x'),
    undefined,
  ]) {
    assert.equal(withRules(error, request), error);
  }
});

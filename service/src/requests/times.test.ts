import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coerceText } from './bodies/coercion.ts';
import { isRealTime, requirePeriod } from './times.ts';

test('a time must have a time zone: UTC, or an offset', () => {
  for (const text of [
    '2026-11-21T00:00:00Z',
    '2026-11-21T23:59:59.999999Z',
    '2026-11-21T00:00:00+01:00',
    '2026-11-21T00:00:00.5-11:30',
    '2024-02-29T00:00:00+14:00',
    '2026-02-28T00:00:00-00:00',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ]) {
    assert.equal(isRealTime(text), true, text);
  }
});

test('an invalid time, or one without a zone, is refused', () => {
  for (const text of [
    '',
    'now',
    '2026-11-21',
    '2026-11-21T00:00:00',
    '2026-11-21 00:00:00Z',
    '2026-11-21t00:00:00z',
    '2026-11-21T00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00+02:00',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T00:60:00Z',
    '2026-11-21T00:00:60Z',
    '2026-11-21T00:00:00.1234567Z',
    '2026-11-21T00:00:00.Z',
    '2026-11-21T00:00:00+1:00',
    '2026-11-21T00:00:00+0100',
    '2026-11-21T00:00:00+15:00',
    '2026-11-21T00:00:00Z\n',
  ]) {
    assert.equal(isRealTime(text), false, JSON.stringify(text));
  }
});

test('an unescaped plus in an offset, which is a space in a query, is accepted', () => {
  const schema = { properties: { from: { type: 'string', format: 'date-time' } } };
  const coerced = (from: string) => coerceText(schema, { from }).from;
  assert.equal(coerced('2026-11-21T00:00:00 01:00'), '2026-11-21T00:00:00+01:00');
  assert.equal(coerced('2026-11-21T00:00:00-01:00'), '2026-11-21T00:00:00-01:00');
  assert.equal(coerced('2026-11-21 00:00:00Z'), '2026-11-21 00:00:00Z');
});

test('a period must not end before it begins, in any zones', () => {
  requirePeriod({ from: '2026-11-21T01:00:00+01:00', to: '2026-11-21T00:00:00Z' });
  requirePeriod({ from: '2026-11-21T00:00:00Z' });
  const turned = { from: '2026-11-21T00:00:00Z', to: '2026-11-21T00:30:00+01:00' };
  assert.throws(() => requirePeriod(turned), { code: 'validation_failed' });
});

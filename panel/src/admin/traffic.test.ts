import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trafficOf, trafficText } from './traffic.ts';

const entered = (text: string): number | null => {
  const form = new FormData();
  form.set('traffic', text);
  return trafficOf(form, 'traffic');
};

test('traffic is entered with its unit, as on the command line', () => {
  const given = { '500G': 5e11, '2T': 2e12, '2TB': 2e12, '1.5 tb': 1.5e12, '1000': 1000, '': null };
  for (const [text, bytes] of Object.entries(given)) assert.equal(entered(text), bytes, text);
});

test('what is no amount is refused, and not taken for no limit', () => {
  for (const text of ['much', '5 hours', '-1', '2TiB', '1e12'])
    assert.throws(() => entered(text), /500G or 2T/, text);
});

test('what is shown can be entered again, and is exact', () => {
  const shown = { '2T': 2e12, '1.5T': 1.5e12, '500G': 5e11, '1K': 1000, '999': 999, '0': 0 };
  for (const [text, bytes] of Object.entries(shown)) assert.equal(trafficText(bytes), text);
  for (const bytes of [1, 1234, 1_234_567, 5e11 + 1, 1_099_511_627_776, 1.001e12])
    assert.equal(entered(trafficText(bytes)), bytes);
  assert.deepEqual([trafficText(null), trafficText(undefined)], ['', '']);
});

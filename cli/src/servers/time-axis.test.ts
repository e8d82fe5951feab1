import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeAxis } from './time-axis.ts';

const start = Date.parse('2026-11-29T10:03:00Z');

function labelsOf(seconds: number, width = 60): string[] {
  const { ticks, label } = timeAxis(start, start + seconds * 1000, width);
  return ticks.map(label);
}

test('the labels of an axis are round times, with the date if there are several days', () => {
  assert.deepEqual(labelsOf(30), ['10:03:00', '10:03:15', '10:03:30']);
  assert.deepEqual(labelsOf(300), ['10:03', '10:04', '10:05', '10:06', '10:07', '10:08']);
  assert.deepEqual(labelsOf(3600), ['10:10', '10:20', '10:30', '10:40', '10:50', '11:00']);
  assert.deepEqual(labelsOf(2 * 86_400), [
    '11-29 12:00',
    '11-30 00:00',
    '11-30 12:00',
    '12-01 00:00',
  ]);
  assert.deepEqual(labelsOf(3 * 86_400), ['11-30', '12-01', '12-02']);
});

test('no label is there twice, and all have room', () => {
  for (const seconds of [15, 60, 300, 3600, 86_385, 86_400, 604_800, 31_536_000]) {
    for (const width of [20, 60, 90]) {
      const labels = labelsOf(seconds, width);
      assert.equal(new Set(labels).size, labels.length, labels.join(' '));
      const [longest = ''] = labels;
      const room = (labels.length - 1) * (longest.length + 1);
      assert.ok(room <= width, `${width} columns for ${labels.join(' ')}`);
    }
  }
});

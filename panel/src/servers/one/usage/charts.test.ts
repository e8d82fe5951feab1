import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  chartsOf,
  type History,
  isolatedIn,
  latestIn,
  roundedUp,
  stepAfter,
  valuesAt,
} from './charts.ts';

const from = Date.parse('2026-11-28T12:00:00Z');
const history: History = {
  ...{ from: '2026-11-28T12:00:00Z', to: '2026-11-28T12:15:00Z', step: 300 },
  times: ['2026-11-28T12:00:00Z', '2026-11-28T12:05:00Z', '2026-11-28T12:10:00Z'],
  series: [
    { metric: 'cpu', unit: 'percent', values: [12.5, null, 13] },
    { metric: 'ram', unit: 'MiB', values: [256, 1100, null] },
    { metric: 'traffic_in', unit: 'bytes', values: [900_000, null, 300_000] },
    { metric: 'traffic_out', unit: 'bytes', values: [300_000, 0, 300] },
  ],
};
const charts = chartsOf(history, { ram: 1024, disk: 20 }, from + 700_000);
const [cpu, memory, disk, network] = charts;
assert.ok(cpu && memory && disk && network);

test('gaps stay gaps, also for metrics without a series', () => {
  assert.deepEqual(cpu.lines[0]?.values, [12.5, null, 13]);
  assert.deepEqual(disk.lines[0]?.values, [null, null, null]);
  assert.deepEqual([latestIn(cpu), latestIn(memory), latestIn(disk)], [2, 1, -1]);
});

test('transfers are per second, and a step that is not over is left out', () => {
  assert.deepEqual(
    network.lines.map(({ values }) => values),
    [
      [3000, null, null],
      [1000, 0, null],
    ],
  );
});

test('an axis ends at the capacity, at a higher value, or at a round number', () => {
  assert.deepEqual([cpu.ceiling, memory.ceiling, disk.ceiling], [100, 1100, 20]);
  assert.equal(network.ceiling, 5000);
  assert.deepEqual([0, 1, 3, 49, 60].map(roundedUp), [1, 1, 5, 50, 100]);
});

test('a value between gaps is found, as no line shows it', () => {
  assert.deepEqual(isolatedIn([1, null, 2, null, 3, 4]), [0, 2]);
  assert.deepEqual(isolatedIn([null, null]), []);
});

test('the values of a step are words with units', () => {
  assert.equal(valuesAt(cpu, 0), '12.5 %');
  assert.equal(valuesAt(memory, 2), 'unknown');
  assert.equal(valuesAt(network, 1), 'in unknown, out 0 B/s');
});

test('keys move along the steps, and not beyond them', () => {
  assert.equal(stepAfter('ArrowLeft', 5, [0, 19]), 4);
  assert.equal(stepAfter('ArrowRight', 19, [0, 19]), 19);
  assert.equal(stepAfter('PageDown', 5, [0, 19]), 0);
  assert.equal(stepAfter('End', 5, [0, 19]), 19);
  assert.equal(stepAfter('Home', 5, [3, 7]), 3);
  assert.equal(stepAfter('PageUp', 5, [3, 7]), 7);
  assert.equal(stepAfter('Tab', 5, [0, 19]), undefined);
});

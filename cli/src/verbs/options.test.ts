import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { createHome } from '../../testing/terminal.ts';
import {
  byteCount,
  decimal,
  diskSize,
  duration,
  futureTime,
  limitOrNone,
  memory,
  none,
  orNone,
  pairs,
  pastTime,
  pollingInterval,
  timeSpan,
  whole,
  yesOrNo,
} from './options.ts';

test('values of options are read with their units', () => {
  const read: [(text: string) => unknown, Record<string, unknown>][] = [
    [whole, { '0': 0, '12': 12 }],
    [decimal, { '1': 1, '1.5': 1.5 }],
    [duration, { '30': 30, '30s': 30, '5m': 300, '2h': 7200, '1d': 86_400 }],
    [memory, { '512': 512, '512M': 512, '512MiB': 512, '2G': 2048, '2gb': 2048, '1T': 1048576 }],
    [diskSize, { '20': 20, '20G': 20, '1T': 1024 }],
    [byteCount, { '10': 10, '0.5G': 5e8, '500G': 5e11, '2TB': 2e12, none }],
    [yesOrNo, { yes: true, no: false, true: true, false: false }],
    [limitOrNone, { '5': 5, none }],
    [orNone(memory), { '4G': 4096, none }],
  ];
  for (const [reader, values] of read) {
    for (const [text, value] of Object.entries(values)) assert.equal(reader(text), value, text);
  }
});

test('other values are refused', () => {
  const all = [whole, decimal, duration, memory, diskSize, byteCount, yesOrNo, limitOrNone];
  for (const reader of [...all, pastTime, futureTime]) {
    for (const text of ['', '-1', 'x', '1y', '1 G', 'NaN', '1e999']) {
      assert.throws(() => reader(text), InvalidArgumentError, `${reader.name} ${text}`);
    }
  }
});

test('a refusal of a value names its option, and has an example', async () => {
  const { berth } = createHome();
  const size = ['server', 'create', 'web', '--os', 'debian-12'];
  for (const [option, example] of [
    ['--ram', '512M'],
    ['--disk', '20G'],
    ['--cpu', '4'],
    ['--timeout', '30s'],
  ] as const) {
    for (const value of ['abc', '']) {
      const { status, stderr } = await berth([...size, option, value]);
      assert.equal(status, 2);
      assert.ok(stderr.includes(option) && stderr.includes(example), stderr);
    }
  }
});

test('times are dates, times with a zone, or durations', () => {
  assert.equal(pastTime('2026-11-27'), '2026-11-27T00:00:00.000Z');
  assert.equal(futureTime('2026-11-27T18:00:00+02:00'), '2026-11-27T16:00:00.000Z');
  assert.ok(Date.parse(pastTime('1h')) < Date.now() && Date.parse(futureTime('1h')) > Date.now());
});

test('waits end before timers overflow, and an interval is not 0', () => {
  assert.equal(duration('24d'), 24 * 86_400);
  assert.equal(pollingInterval('1'), 1);
  for (const text of ['25d', '2073601']) {
    assert.throws(() => duration(text), InvalidArgumentError, text);
  }
  for (const text of ['0', '0m', '25d']) {
    assert.throws(() => pollingInterval(text), InvalidArgumentError, text);
  }
  assert.equal(timeSpan('400d'), 400 * 86_400);
  assert.ok(Date.parse(pastTime('400d')) < Date.now());
});

test('times without an offset and days that do not exist are refused', () => {
  const wrong = ['2026-11-27T18:00', '2026-11-27T18:00:00', '2026-02-31', '2026-02-29T10:00:00Z'];
  for (const text of [...wrong, '2026-11-27T25:00:00Z', '2026-13-01', '2026-11-27T10Z']) {
    assert.throws(() => pastTime(text), InvalidArgumentError, text);
  }
  assert.equal(futureTime('2028-02-29T23:30-02:00'), '2028-03-01T01:30:00.000Z');
});

test('pairs are collected, and may have an empty value', () => {
  assert.deepEqual(pairs('b=x=y', pairs('a=', undefined)), { a: '', b: 'x=y' });
  assert.throws(() => pairs('=x', undefined), InvalidArgumentError);
});

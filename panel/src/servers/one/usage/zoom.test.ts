import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepsIn, zoomAfter, zoomWithin } from './zoom.ts';

const times = [0, 10, 20, 30, 40, 50, 60, 70, 80];

test('without a zoom, all steps are shown', () => {
  assert.deepEqual(stepsIn(times, undefined), [0, 8]);
  assert.deepEqual(stepsIn(times, { from: 20, to: 50 }), [2, 5]);
});

test('what is selected begins and ends with a step', () => {
  assert.deepEqual(zoomWithin(times, { from: 12.5, to: 59 }), { from: 20, to: 50 });
  assert.equal(zoomWithin(times, { from: 12, to: 28 }), undefined, 'one step is no span');
  assert.equal(zoomWithin(times, { from: 11, to: 12 }), undefined);
  assert.equal(zoomWithin(times, { from: -5, to: 90 }), undefined, 'all of it is no zoom');
});

test('new data shorten a zoom that they do not have any more, and end it', () => {
  const zoom = { from: 20, to: 40 };
  assert.deepEqual(zoomWithin([30, 40, 50], zoom), { from: 30, to: 40 });
  assert.equal(zoomWithin([40, 50, 60], zoom), undefined);
  assert.equal(zoomWithin([50, 60, 70], zoom), undefined);
  assert.equal(zoomWithin([], zoom), undefined);
});

test('keys zoom in around a step, and out again to the whole', () => {
  const half = zoomAfter('+', times, undefined, 5);
  assert.deepEqual(half, { from: 30, to: 70 });
  const quarter = zoomAfter('=', times, half, 7);
  assert.deepEqual(quarter, { from: 60, to: 80 });
  assert.deepEqual(zoomAfter('+', times, quarter, 8), quarter, 'two steps are the least');
  assert.deepEqual(zoomAfter('-', times, quarter, 7), { from: 40, to: 80 });
  assert.deepEqual(zoomAfter('-', times, half, 5), { from: 0, to: 80 });
  assert.deepEqual(zoomAfter('+', [0, 10], undefined, 0), { from: 0, to: 10 });
  assert.equal(zoomAfter('Tab', times, half, 5), undefined);
});

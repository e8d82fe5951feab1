import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readText } from '../pages/repository.ts';
import { comparable, transcriptIn } from './compare.ts';
import { record } from './session.ts';
import { toSvg } from './svg.ts';

const picture = readText('docs/recording.svg');

test('the recording in the README shows what the commands print', async () => {
  const recording = await record();
  const current = comparable(recording.transcript);
  assert.deepEqual(comparable(transcriptIn(picture)), current, 'Run: npm run recording');
  assert.deepEqual(comparable(transcriptIn(toSvg(recording))), current);
});

test('how long something took makes no difference', () => {
  const row = (age: string) => comparable([`web-1  started  ${age}`]);
  for (const age of ['980ms', '2s', '1m 5s', '12d']) assert.deepEqual(row(age), row('0ms'), age);
});

test('the recording is small, and loads nothing', () => {
  assert.ok(picture.length < 200 * 1024, `${picture.length} bytes`);
  assert.doesNotMatch(picture, /<script|@import|(?:href|src)="(?!#)/);
  const urls = picture.match(/https?:\/\/[^"]*/g);
  assert.deepEqual(urls, ['http://www.w3.org/2000/svg']);
});

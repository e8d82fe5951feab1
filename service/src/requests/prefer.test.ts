import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { loadConfig } from '../config/config.ts';
import { defaultTimeouts } from '../edge/listener.ts';
import { readId } from './path-id.ts';
import { preferredWait } from './prefer.ts';

const waitOf = (prefer?: string) =>
  preferredWait({ headers: { prefer } } as unknown as FastifyRequest);

test('a wait is parsed as in RFC 7240', () => {
  const waits: [string | undefined, number][] = [
    [undefined, 0],
    ['', 0],
    ['wait=5', 5],
    ['Wait=5', 5],
    ['wait = 5', 5],
    ['wait="5"', 5],
    ['respond-async, wait=5', 5],
    ['wait=5, wait=7', 5],
    ['wait=5; foo=bar', 5],
    ['wait=0', 0],
    ['wait=75', 75],
    ['wait=76', 75],
    ['wait=999999999', 75],
  ];
  for (const [header, seconds] of waits) assert.equal(waitOf(header), seconds, header);
});

test('with the defaults, the longest wait outlasts a stop that fails, and no connection closes before', () => {
  const longest = waitOf('wait=999') * 1000;
  // A guest is polled every few seconds, and Incus needs a moment to give up.
  assert.ok(longest >= (loadConfig({}).stopTimeoutSeconds + 10) * 1000);
  assert.ok(longest < defaultTimeouts.silence);
});

test('an invalid wait is ignored', () => {
  for (const header of ['wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=x', 'await=5', 'wait=5x']) {
    assert.equal(waitOf(header), 0, header);
  }
});

test('an id in text is digits from 1 to 2^53 - 1', () => {
  assert.equal(readId('1'), 1);
  assert.equal(readId('9007199254740991'), Number.MAX_SAFE_INTEGER);
});

test('other texts are not ids', () => {
  const others = [
    '',
    '0',
    '-1',
    '01',
    '1.0',
    '1e3',
    'abc',
    ' 1',
    '1 ',
    '٣',
    '9007199254740992',
    '9223372036854775808',
  ];
  for (const text of others) {
    assert.equal(readId(text), undefined, text);
  }
});

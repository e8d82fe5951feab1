import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptInWords, readAgainMs, readDeliverySearch } from './deliveries.ts';

test('what the URL says is read, and the rest is left out', () => {
  assert.deepEqual(readDeliverySearch({ status: 'failed', other: 1 }), { status: 'failed' });
  assert.deepEqual(readDeliverySearch({ status: 'broken' }), {});
});

test('the last attempt is said with its response and why it failed', () => {
  const none = { attempts: 0, response_status: null, duration_ms: null, error: null };
  assert.equal(attemptInWords(none), 'Not attempted yet.');
  assert.equal(attemptInWords({ ...none, attempts: 2 }), 'Attempt 2 is under way.');
  const done = { ...none, attempts: 1, response_status: 204, duration_ms: 12 };
  assert.equal(attemptInWords(done), 'Attempt 1: response 204 after 12 ms.');
  const error = { reason: 'timeout', detail: 'It took too long.' } as const;
  const failed = { ...done, attempts: 3, response_status: null, error };
  assert.equal(attemptInWords(failed), 'Attempt 3: no response after 12 ms. It took too long.');
});

test('deliveries are read again when an attempt may have ended', () => {
  const now = Date.parse('2026-11-28T12:00:00Z');
  const pending = { status: 'pending', attempts: 1, duration_ms: 12 } as const;
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
  const delivered = { ...pending, status: 'delivered', next_attempt_at: null } as const;
  assert.equal(readAgainMs([], now), false);
  assert.equal(readAgainMs([delivered], now), false);
  assert.equal(readAgainMs([{ ...pending, next_attempt_at: at(30) }, delivered], now), 30_000);
  assert.equal(readAgainMs([{ ...pending, next_attempt_at: at(7200) }], now), 60_000);
  assert.equal(readAgainMs([{ ...pending, next_attempt_at: at(-5) }], now), 2000);
  assert.equal(
    readAgainMs([{ ...pending, duration_ms: null, next_attempt_at: at(30) }], now),
    2000,
  );
});

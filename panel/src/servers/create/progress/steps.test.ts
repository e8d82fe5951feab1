import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '@berth/client';
import { stepsOf } from './steps.ts';

const report = (id: number, message: string, second: number) =>
  ({
    at: `2026-11-28T10:00:0${second}Z`,
    data: { operation: { id, message } },
  }) as unknown as Event;

test('the steps of an operation are its different messages, and not those of others', () => {
  const started = { at: '', data: { server: {} } } as unknown as Event;
  const events = [
    ...[report(7, 'Waiting', 1), report(6, 'Stopping', 2), started],
    ...[report(7, 'Starting', 3), report(7, 'Starting', 4), report(7, 'Done', 5)],
  ];
  assert.deepEqual(stepsOf(events, 7), [
    { message: 'Waiting', at: '2026-11-28T10:00:01Z' },
    { message: 'Starting', at: '2026-11-28T10:00:03Z' },
    { message: 'Done', at: '2026-11-28T10:00:05Z' },
  ]);
});

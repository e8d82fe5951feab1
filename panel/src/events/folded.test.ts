import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '@berth/client';
import { foldProgress } from './folded.ts';

const event = (id: number, type: string, operation?: number) =>
  ({ id, type, data: operation ? { operation: { id: operation } } : {} }) as Event;
const idsOf = (events: readonly Event[]) =>
  foldProgress(events).map(({ event: { id }, earlier }) => [id, ...earlier.map((one) => one.id)]);

test('all that was said of the progress of an operation is one event', () => {
  const events = [
    event(9, 'operation.ended', 1),
    event(8, 'operation.progress', 2),
    event(7, 'operation.progress', 1),
    event(6, 'server.started'),
    event(5, 'operation.progress', 2),
    event(4, 'operation.progress', 1),
    event(3, 'operation.progress', 1),
    event(2, 'operation.created', 2),
    event(1, 'operation.created', 1),
  ];
  assert.deepEqual(idsOf(events), [[9], [8, 5], [7, 4, 3], [6], [2], [1]]);
});

test('there may be nothing to fold', () => {
  assert.deepEqual(idsOf([]), []);
  assert.deepEqual(idsOf([event(1, 'operation.progress', 1)]), [[1]]);
});

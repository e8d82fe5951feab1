import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '@berth/client';
import { createExpectations, type Outcome } from './expected.ts';

const stop = { action: 'stop', hostname: 'web-1', serverId: 1 } as const;
const ended = (id: number, error: object | null = null) =>
  ({
    type: 'operation.ended',
    data: {
      operation: { id, status: error ? 'failed' : 'succeeded', message: 'It has stopped.', error },
    },
  }) as unknown as Event;

test('the outcome of what was begun here is told once, whichever is known first', () => {
  const told: [number, Outcome][] = [];
  const expectations = createExpectations((outcome, id) => void told.push([id, outcome]));
  expectations.expect(7, stop);
  expectations.take(ended(7));
  expectations.take(ended(7));
  expectations.take(ended(8, { code: 'x', detail: 'The guest ignored it.' }));
  expectations.expect(8, stop);
  expectations.take(ended(9));
  assert.deepEqual(told, [
    [7, { ...stop, status: 'succeeded', message: 'It has stopped.' }],
    [8, { ...stop, status: 'failed', message: 'The guest ignored it.' }],
  ]);
});

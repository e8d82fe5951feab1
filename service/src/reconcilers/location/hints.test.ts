import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LifecycleEvent, OperationEvent } from '../../incus/events.ts';
import { hintsOf } from './hints.ts';

const event: LifecycleEvent = {
  ...{ type: 'lifecycle', action: 'instance-started', source: '/1.0/instances/one' },
  ...{ instance: 'one', context: {}, project: 'berth', location: 'none' },
  timestamp: '2026-11-21T12:00:00Z',
};

test('an event says to look at its instance, and at its former name', () => {
  assert.deepEqual(hintsOf(event), { changed: ['one'], restored: [] });
  const renamed = { ...event, action: 'instance-renamed', context: { old_name: 'two' } };
  assert.deepEqual(hintsOf(renamed), { changed: ['one', 'two'], restored: [] });
  assert.deepEqual(hintsOf({ ...event, context: { old_name: 7 } }).changed, ['one']);
});

test('the disk of an instance is looked at once it was restored', () => {
  const restored = { ...event, action: 'instance-restored' };
  assert.deepEqual(hintsOf(restored), { changed: ['one'], restored: ['one'] });
});

test('what is of no instance says nothing, nor does an operation', () => {
  const ofNone = { ...event, action: 'instance-restored', instance: undefined };
  assert.deepEqual(hintsOf(ofNone), { changed: [], restored: [] });
  const { timestamp, project, location } = event;
  const operation = { type: 'operation', timestamp, project, location } as OperationEvent;
  assert.deepEqual(hintsOf(operation), { changed: [], restored: [] });
});

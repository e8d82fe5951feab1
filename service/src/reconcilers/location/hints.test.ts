import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LifecycleEvent, OperationEvent } from '../../incus/events.ts';
import { hintsOf } from './hints.ts';

const event: LifecycleEvent = {
  ...{ type: 'lifecycle', action: 'instance-started', source: '/1.0/instances/one' },
  ...{ instance: 'one', context: {}, project: 'berth', location: 'none' },
  timestamp: '2026-11-21T12:00:00Z',
};

test('an event names its instance, and the former name of a renamed one', () => {
  assert.deepEqual(hintsOf(event), { changed: ['one'], restored: [] });
  const renamed = { ...event, action: 'instance-renamed', context: { old_name: 'two' } };
  assert.deepEqual(hintsOf(renamed), { changed: ['one', 'two'], restored: [] });
  assert.deepEqual(hintsOf({ ...event, context: { old_name: 7 } }).changed, ['one']);
});

test('an event names the instance whose disk was restored', () => {
  const restored = { ...event, action: 'instance-restored' };
  assert.deepEqual(hintsOf(restored), { changed: ['one'], restored: ['one'] });
});

test('events without an instance, and those of operations, name no instance', () => {
  const ofNone = { ...event, action: 'instance-restored', instance: undefined };
  assert.deepEqual(hintsOf(ofNone), { changed: [], restored: [] });
  const { timestamp, project, location } = event;
  const operation = { type: 'operation', timestamp, project, location } as OperationEvent;
  assert.deepEqual(hintsOf(operation), { changed: [], restored: [] });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotificationListener } from '../db/notifications.ts';
import { place, watched } from '../testing/operations.ts';
import { rememberLocations } from './remembered.ts';

test('a location is read once, and again after a change or a failure', async () => {
  let reads = 0;
  let fails = true;
  const counted = watched({
    before() {
      reads += 1;
      if (fails) throw new Error('It is away.');
    },
  });
  let changed = () => {};
  const on = ((_name: string, handler: () => void) => {
    changed = handler;
  }) as unknown as NotificationListener['on'];
  const locationOf = rememberLocations(counted, { on });
  await assert.rejects(locationOf(place.locationId), /It is away/);
  fails = false;
  const both = await Promise.all([locationOf(place.locationId), locationOf(place.locationId)]);
  assert.deepEqual([both.map(({ id }) => id), reads], [[place.locationId, place.locationId], 2]);
  await locationOf(place.locationId);
  assert.equal(reads, 2);
  const reading = locationOf(place.locationId);
  changed();
  assert.equal((await reading).id, place.locationId);
  await locationOf(place.locationId);
  assert.equal(reads, 3);
});

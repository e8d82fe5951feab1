import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adoptableInWords, allowedFor, type Drift, differenceInWords } from './words.ts';

const difference = (expected: string | null, found: string | null) =>
  differenceInWords({ path: 'config.limits.cpu', expected, found, since: '' });
const adoptable = { cpu: 2, ram: 2048, disk: 20, ip_addresses: ['10.0.0.7'], obstacles: [] };

test('a difference says what is and what should be', () => {
  assert.equal(difference('2', '8'), 'config.limits.cpu is 8, and should be 2');
  assert.equal(difference(null, '8'), 'config.limits.cpu is 8, and should not be set');
  assert.equal(difference('2', null), 'config.limits.cpu is not set, and should be 2');
  assert.match(difference('2', 'x'.repeat(200)), /is x{80}…, and/);
});

test('an instance is described by what it has', () => {
  assert.equal(adoptableInWords(adoptable), '2 cores · 2 GiB · 20 GiB · 10.0.0.7');
  const unlimited = { ...adoptable, cpu: null, ram: null, disk: null, ip_addresses: [] };
  assert.equal(
    adoptableInWords(unlimited),
    'any number of cores · unlimited memory · unlimited disk · without an address',
  );
});

test('what can be done depends on the kind', () => {
  const drift = (changed: object) => allowedFor({ adoptable: null, ...changed } as Drift);
  assert.deepEqual(drift({ kind: 'changed' }), { repair: true, adopt: false, forget: true });
  const gone = { kind: 'missing_instance', forgotten: true };
  assert.deepEqual(drift(gone), { repair: false, adopt: false, forget: false });
  const foreign = { kind: 'foreign_instance', adoptable };
  assert.deepEqual(drift(foreign), { repair: false, adopt: true, forget: false });
  const obstructed = { ...foreign, adoptable: { ...adoptable, obstacles: ['It has a device.'] } };
  assert.equal(drift(obstructed).adopt, false);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hold, isHeld, release, wasHeld } from './autostart.ts';

/** As Incus merges a configuration: an empty value removes a key. */
function merged(config: Record<string, string>, change: { config?: Record<string, string> }) {
  const entries = Object.entries({ ...config, ...change.config });
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

const own = { 'user.berth.server': 'x' };

for (const before of [undefined, 'true', 'false']) {
  test(`boot.autostart ${before ?? 'unset'} is restored after it was held`, () => {
    const config = { ...own, ...(before !== undefined && { 'boot.autostart': before }) };
    assert.deepEqual([isHeld({ config }), wasHeld({ config })], [false, false]);
    assert.deepEqual(release({ config }), {});
    const held = merged(config, hold({ config }));
    assert.equal(held['boot.autostart'], 'false');
    assert.ok(isHeld({ config: held }) && wasHeld({ config: held }));
    assert.deepEqual(merged(held, hold({ config: held })), held, 'again, it changes nothing');
    assert.deepEqual(merged(held, release({ config: held })), config);
  });
}

test('what somebody sets meanwhile is not held, and is held again', () => {
  const held = merged(own, hold({ config: own }));
  const changed = { ...held, 'boot.autostart': 'true' };
  assert.deepEqual([isHeld({ config: changed }), wasHeld({ config: changed })], [false, true]);
  const again = merged(changed, hold({ config: changed }));
  assert.deepEqual(again, held);
  assert.deepEqual(merged(again, release({ config: again })), own);
});

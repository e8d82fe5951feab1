import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { handoverFiles } from '../guests/handover.ts';

const units = fileURLToPath(new URL('./template/rootfs/etc/systemd/system', import.meta.url));
const unit = join(units, 'berth-first-start.service');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test('systemd accepts the units of the images that Berth builds', {
  skip: !hasSystemd && 'this machine has no systemd-analyze',
}, () => {
  const own = globSync(join(units, '*.service'));
  assert.ok(own.includes(unit));
  // Those of the distribution that it changes.
  const changed = globSync(join(units, '*.service.d')).map((path) => basename(path, '.d'));
  assert.ok(changed.includes('systemd-udev-trigger.service'));
  const instances = changed.map((name) => name.replace('@', '@loop'));
  const { status, stderr } = spawnSync(
    'systemd-analyze',
    ['verify', '--man=no', ...own, ...instances],
    {
      env: { ...process.env, SYSTEMD_UNIT_PATH: `${units}:` },
    },
  );
  assert.deepEqual([status, String(stderr)], [0, '']);
});

test('the unit runs the script that is pushed last into a guest, while that exists', () => {
  const firstStart = { hostname: 'web-1', network: '{}' };
  const login = { passwordHash: '$6$x$y', authorizedKeys: [], passwordLogin: true };
  const files = handoverFiles({ login, commands: [] }, firstStart);
  const runner = files.at(-1)?.path;
  const text = readFileSync(unit, 'utf8');
  assert.match(text, new RegExp(`^ConditionPathExists=${runner}$`, 'm'));
  assert.match(text, new RegExp(`^ExecStart=/bin/sh ${runner}$`, 'm'));
});

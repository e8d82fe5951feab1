import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '../config/config.ts';
import type { Machine } from './doctor.ts';
import { machineFindings } from './examine.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'berth-doctor-'));
after(() => rmSync(dataDir, { recursive: true }));

const bare: Machine = {
  read: () => undefined,
  list: () => [],
  output: () => undefined,
  space: () => undefined,
  now: new Date(),
};

test('for a simulated Incus nothing of the machine is asked for', async () => {
  const config = loadConfig({ BERTH_DATA_DIR: dataDir, BERTH_LOCAL: 'false' });
  const real = await machineFindings(bare, config);
  assert.ok(real.some(({ state }) => state === 'problem'));
  writeFileSync(join(dataDir, 'simulated'), '');
  const [simulated, ...others] = await machineFindings(bare, config);
  assert.deepEqual([simulated?.what, simulated?.state, others], ['Incus', 'note', []]);
  assert.match(simulated?.says ?? '', /^simulated, /);
});

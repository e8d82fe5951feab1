import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startSimulator } from '../../../incus-sim/src/simulator.ts';
import { createIncusClient } from '../incus/client.ts';
import { survey } from './survey.ts';

const directory = mkdtempSync(join(tmpdir(), 'survey-'));
const socketPath = join(directory, 'incus.socket');
const simulator = await startSimulator({ listen: { socketPath } });
const client = createIncusClient({ socketPath, project: 'berth' });
after(async () => {
  await client.close();
  await simulator.close();
  rmSync(directory, { recursive: true, force: true });
});
simulator.plant({ project: 'berth', pool: 'disks', network: 'berthbr0', imageAliases: [] });

/** The warnings about a pool with this driver. */
async function poolWarnings(driver: string): Promise<string[]> {
  const pool = simulator.model.pools.get('disks');
  assert.ok(pool);
  pool.driver = driver;
  const { warnings } = await survey(client, { pool: 'disks', network: 'berthbr0', vlan: null });
  return warnings.filter((warning) => warning.includes('storage pool'));
}

test('a pool of btrfs causes a warning that classic quotas can stop enforcing sizes', async () => {
  const [warning = '', ...others] = await poolWarnings('btrfs');
  assert.match(warning, /The storage pool disks has the driver btrfs/);
  assert.match(warning, /With classic quotas, .*servers can write beyond their disk sizes while/);
  assert.match(warning, /df in a server shows the whole pool/);
  assert.doesNotMatch(warning, /it enforces/);
  assert.deepEqual(others, []);
});

test('a pool of a driver that enforces no sizes causes a warning, and one with a disk for each server none', async () => {
  const [warning = ''] = await poolWarnings('dir');
  assert.match(warning, /dir, which does not reliably enforce .*a server can fill the disk of all/);
  assert.deepEqual(await poolWarnings('zfs'), []);
  assert.deepEqual(await poolWarnings('lvm'), []);
});

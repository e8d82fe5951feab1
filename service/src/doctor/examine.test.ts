import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startSimulator } from '../../../incus-sim/src/simulator.ts';
import { loadConfig } from '../config/config.ts';
import type { Machine } from './doctor.ts';
import { foldersOf, machineFindings, settingsFindings } from './examine.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'berth-doctor-'));
after(() => rmSync(dataDir, { recursive: true }));

const bare: Machine = {
  read: () => undefined,
  list: () => [],
  output: () => undefined,
  space: () => undefined,
  now: new Date(),
};

test('with a simulated Incus the machine is not checked', async () => {
  const config = loadConfig({ BERTH_DATA_DIR: dataDir, BERTH_LOCAL: 'false' });
  const real = await machineFindings(bare, config);
  assert.ok(real.some(({ state }) => state === 'problem'));
  assert.deepEqual(Object.keys(foldersOf(config)), ['data', 'Incus', 'exports']);
  writeFileSync(join(dataDir, 'simulated'), '');
  const [simulated, ...others] = await machineFindings(bare, config);
  assert.deepEqual([simulated?.what, simulated?.state, others], ['Incus', 'note', []]);
  assert.match(simulated?.says ?? '', /^simulated, /);
  assert.deepEqual(Object.keys(foldersOf(config)), ['data', 'exports']);
});

test('an Incus that does not respond is a problem, with how to start or install it', async (t) => {
  const look = async (BERTH_INCUS_SOCKET: string) => {
    const findings = await machineFindings(
      bare,
      loadConfig({ BERTH_DATA_DIR: own, BERTH_INCUS_SOCKET }),
    );
    return findings.find(({ what }) => what === 'Incus');
  };
  const own = mkdtempSync(join(tmpdir(), 'berth-doctor-'));
  t.after(() => rmSync(own, { recursive: true }));
  const stopped = await look(join(own, 'unix.socket'));
  assert.deepEqual(
    [stopped?.state, stopped?.wayOut],
    ['problem', 'Start it: run "npm start" as root.'],
  );
  const gone = await look(join(own, 'none', 'unix.socket'));
  assert.deepEqual([gone?.state, gone?.wayOut], ['problem', 'Install it: npm start does.']);
});

test('the version, known vulnerabilities and pool of a working Incus are reported', async (t) => {
  const own = mkdtempSync(join(tmpdir(), 'berth-doctor-'));
  const socketPath = join(own, 'unix.socket');
  const simulator = await startSimulator({ listen: { socketPath }, version: '6.0.3' });
  t.after(async () => {
    await simulator.close();
    rmSync(own, { recursive: true });
  });
  simulator.plant({ project: 'berth', pool: 'berth', network: 'berthbr0', imageAliases: [] });
  const env = { BERTH_DATA_DIR: own, BERTH_INCUS_SOCKET: socketPath };
  const findings = await machineFindings(bare, loadConfig(env));
  const [version, ...holes] = findings.filter(({ what }) => what === 'Incus');
  assert.deepEqual([version?.state, version?.says], ['ok', '6.0.3']);
  assert.deepEqual([holes.length, holes[0]?.state], [1, 'note']);
  const [heading, ...items] = holes[0]?.says.split('\n') ?? [];
  assert.match(heading ?? '', /^Incus 6\.0\.3 has known vulnerabilities, .*:$/);
  assert.ok(items.length > 1 && items.every((item) => item.startsWith('- ')));
  assert.match(holes[0]?.wayOut ?? '', /^For all of these: update to /);
  const pool = findings.filter(({ what }) => what.endsWith('pool berth'));
  assert.deepEqual(
    pool.map(({ what }) => what),
    ['quota of the pool berth', 'storage pool berth'],
  );
});

test('each wrong setting is reported, and nothing is checked that depends on the settings', () => {
  const wrong = { BERTH_PORT: 'x', BERTH_LOG_LEVEL: 'loud', BERTH_DATA_DIR: '/etc/hostname' };
  const { config, findings } = settingsFindings('settings', wrong);
  assert.equal(config, undefined);
  assert.deepEqual(
    findings.map(({ state, says }) => [state, says.split(' ')[0]]),
    ['BERTH_PORT', 'BERTH_LOG_LEVEL', 'The'].map((begin) => ['problem', begin]),
  );
  const right = settingsFindings('settings', { BERTH_DATA_DIR: dataDir });
  const [first] = right.findings;
  assert.deepEqual([right.config?.dataDir, first?.state, first?.says], [dataDir, 'ok', 'valid']);
});

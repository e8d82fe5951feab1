import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onFreePort } from '../e2e/ports.ts';
import { startSimulator } from '../incus-sim/src/simulator.ts';
import { settingsOfFile } from '../service/src/config/files.ts';
import { type Host, openHost, places } from '../service/src/installation/host.ts';
import { installService } from '../service/src/installation/install-service.ts';
import type { Announcement } from '../service/src/installation/uninstall.ts';
import { uninstallAll } from '../service/src/installation/uninstall-all.ts';
import { goBack, upgrade } from '../service/src/installation/upgrade.ts';
import { killAll, processIds, readProcess } from '../service/src/testing/processes.ts';
import { until } from '../service/src/testing/until.ts';

// Tests an ordinary installation below a directory. The test does the work of systemd: it starts the version to which
// the link points, with the settings of the file, and stops it.

const repository = fileURLToPath(new URL('..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'berth-upgrade-'));
chmodSync(root, 0o755);
const below = (path: string) => join(root, path);
const quiet = { of: () => () => undefined };
const readyMs = 120_000;
let running: ChildProcess | undefined;
/** What it has said since its start. */
let said = '';

after(async () => {
  await stop();
  const isOurs = (pid: number) => readProcess(pid, 'cmdline').includes(below(places.data));
  await killAll(() => processIds().filter(isOurs));
  rmSync(root, { recursive: true, force: true });
});

async function stop(): Promise<void> {
  if (!running || running.exitCode !== null) return;
  const exited = once(running, 'exit');
  running.kill('SIGTERM');
  await exited;
}

/** The machine, with the part of systemd that an upgrade uses. */
function machine(): Host {
  const host = openHost(root, () => undefined, undefined);
  return {
    ...host,
    async command(_wayOut, program, ...args) {
      const verb = args[0];
      if (program !== 'systemctl' || args.at(-1) !== 'berth.service') return;
      if (verb === 'stop' || verb === 'restart') await stop();
      if (verb === 'disable') await stop();
      if (verb === 'restart') start();
    },
    async asService(_wayOut, settings, program, ...args) {
      const child = spawn(program, args, {
        env: { ...process.env, ...settings },
        stdio: 'inherit',
      });
      const [code] = await once(child, 'exit');
      assert.equal(code, 0);
    },
  };
}

function start(): void {
  const current = below(places.current);
  const { variables } = settingsOfFile(below(places.settings));
  running = spawn(join(current, 'node_modules/.bin/node'), ['service/dist/main.js'], {
    cwd: current,
    env: {
      ...process.env,
      ...variables,
      BERTH_DATA_DIR: below(places.data),
      BERTH_LOG_LEVEL: 'fatal',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  said = '';
  running.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
    process.stderr.write(chunk);
  });
}

/** A folder like that of a release. Without `main` it is this version. */
function version(name: string, main?: string): string {
  const folder = below(`opt/berth/${name}`);
  mkdirSync(folder, { recursive: true });
  for (const part of ['node_modules', 'setup', 'contract', 'deploy', 'service', 'package.json']) {
    if (main === undefined || part !== 'service') {
      symlinkSync(join(repository, part), join(folder, part));
    }
  }
  if (main !== undefined) {
    mkdirSync(join(folder, 'service', 'dist'), { recursive: true });
    writeFileSync(join(folder, 'service/dist/main.js'), main);
  }
  return folder;
}

const projects = async (port: number, body?: object) => {
  const token = readFileSync(join(below(places.data), 'admin-token'), 'utf8').trim();
  const answer = await fetch(`http://127.0.0.1:${port}/v1/projects`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const shown = (await answer.json()) as { name: string }[];
  return body ? [] : shown.map(({ name }) => name);
};

/** Throws what the service said if it ends. */
const untilItAnswers = (port: number) =>
  until(
    'the service answers',
    async () => {
      if (running?.stderr?.readableEnded) throw new Error(said);
      return await projects(port).catch(() => undefined);
    },
    Boolean,
    readyMs / 1000,
  );

test('an upgrade is checked and exported first, undone if it fails, and can be reverted', async () => {
  const socketPath = below('socket');
  const simulator = await startSimulator({ listen: { socketPath } });
  after(() => simulator.close());
  const names = { project: 'berth', pool: 'berth', network: 'berthbr0' };
  simulator.plant({ ...names, imageAliases: ['berth-debian-12'] });
  const host = machine();
  const [one, two] = [version('1.0.0'), version('1.1.0')];
  const settingsWith = (port: number) => `BERTH_PORT=${port}\nBERTH_INCUS_SOCKET=${socketPath}\n`;
  mkdirSync(below(places.settingsFolder), { recursive: true });
  const port = await onFreePort(async (free) => {
    writeFileSync(below(places.settings), settingsWith(free));
    await installService(host, { folder: one, buildImage: async () => undefined });
    await untilItAnswers(free);
    return free;
  });

  const settings = settingsWith(port);
  writeFileSync(below(places.settings), `${settings}BERTH_PROT=1\n`);
  const checked = upgrade(host, { folder: two, progress: quiet, readyMs });
  await assert.rejects(checked, /BERTH_PROT is not a setting/);
  writeFileSync(below(places.settings), settings);
  assert.equal(readlinkSync(below(places.current)), one);

  const exported = await upgrade(host, { folder: two, progress: quiet, readyMs });
  assert.equal(readlinkSync(below(places.current)), two);
  assert.equal(readlinkSync(below(places.previous)), one);
  assert.ok(existsSync(below(exported)));
  await projects(port, { name: 'after-the-upgrade', quota: {} });

  const broken = version('1.2.0', 'process.exit(1);\n');
  const failed = upgrade(host, { folder: broken, progress: quiet, readyMs: 15_000 });
  await assert.rejects(failed, /1\.2\.0 did not start\. .*1\.1\.0 runs again, and nothing is lost/);
  assert.equal(readlinkSync(below(places.current)), two);
  assert.deepEqual(await projects(port), ['default', 'after-the-upgrade']);

  // The previous version is the one before the last one that ran.
  assert.equal(await goBack(host, { isToPrevious: true, readyMs }), one);
  assert.deepEqual(await projects(port), ['default', 'after-the-upgrade']);
  const back = { isToPrevious: false, imported: below(exported), readyMs };
  assert.equal(await goBack(host, back), one);
  assert.deepEqual(await projects(port), ['default'], 'as it was before the upgrade');
  const kept = readdirSync(below(places.data)).filter((name) => name.startsWith('postgres-until'));
  assert.equal(kept.length, 1, 'the database of before is kept');

  const told: string[] = [];
  const confirm = async ({ goes, stays }: Announcement) => void told.push(...goes, ...stays);
  await uninstallAll(host, { folder: one, confirm });
  assert.match(told.join('\n'), /project berth in Incus.*storage pool berth stays/s);
  assert.deepEqual([...simulator.model.projects.keys()], ['default']);
  for (const path of [places.current, places.data, places.exports, places.settings]) {
    assert.ok(!existsSync(below(path)), path);
  }
});

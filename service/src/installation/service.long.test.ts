import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SetupError } from '../../../setup/commands.mjs';
import { readRecord, recordFile, recordText } from '../../../setup/written.mjs';
import { toolEntry } from '../testing/tool.ts';
import { openHost, places, units } from './host.ts';
import { installedInWords, installService } from './install-service.ts';
import { removedInWords, removeKept, uninstallService } from './uninstall-service.ts';
import { goBack } from './upgrade.ts';

const directory = mkdtempSync(join(tmpdir(), 'berth-install-'));
after(() => rmSync(directory, { recursive: true, force: true }));
chmodSync(directory, 0o755);
let machines = 0;

/** A machine below a directory, with the messages about it. */
function newMachine() {
  machines += 1;
  const root = join(directory, `machine-${machines}`);
  const said: string[] = [];
  return { root, said, host: openHost(root, (text) => said.push(text), undefined) };
}

/** Creates the folder of a version, which all users can read. */
function version(name: string): string {
  const folder = join(directory, name);
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  for (const path of [folder, join(folder, 'node_modules')]) chmodSync(path, 0o755);
  rmSync(join(folder, 'node_modules/.bin/node'), { force: true });
  symlinkSync(process.execPath, join(folder, 'node_modules/.bin/node'));
  return folder;
}

const noImage = { buildImage: async () => undefined };

test('an installation has units, settings, folders and a link to its version', async () => {
  const { root, host, said } = newMachine();
  const folder = version('1.0.0');
  const built: string[] = [];
  await installService(host, { folder, buildImage: async (path) => void built.push(path) });
  assert.equal(readlinkSync(join(root, places.current)), folder);
  for (const unit of units) assert.ok(existsSync(join(root, places.units, unit)), unit);
  const mode = (path: string) => statSync(join(root, path)).mode & 0o777;
  assert.deepEqual(
    [places.data, places.cache, places.exports, places.settingsFolder].map(mode),
    [0o700, 0o700, 0o700, 0o750],
  );
  assert.deepEqual(built, [join(root, places.cache, 'images')]);
  const commands = said.filter((text) => text.startsWith('Not run')).join('\n');
  assert.match(commands, /useradd --system .* berth$/m);
  assert.match(commands, new RegExp(`chown -R berth:berth ${root}${places.data}$`, 'm'));
  assert.match(commands, new RegExp(`chmod 600 ${root}${places.settings}$`, 'm'));
  assert.match(commands, /systemctl enable berth\.service berth-export\.timer$/m);
});

test('below another root, only the changes there are reported, each once', async () => {
  const { root, host, said } = newMachine();
  const folder = version('1.0.0');
  const done = () => said.splice(0).filter((text) => !text.startsWith('Not run'));
  await installService(host, { folder, ...noImage });
  const written = units.map((unit) => `Writing ${root}${places.units}/${unit}`);
  assert.deepEqual(done(), [
    `Writing ${root}${places.settings}, for your settings`,
    `${root}${places.current} now points to ${folder}`,
    ...written,
  ]);
  assert.match(
    installedInWords(host),
    /^The files .* below .*\. No command was run, and nothing was started\./,
  );
  assert.match(installedInWords({ root: '/' }), /^Berth runs, and is started at boot/);
  await installService(host, { folder, ...noImage });
  assert.deepEqual(done(), []);
  writeFileSync(join(root, places.units, 'berth.service'), 'of another version');
  await installService(host, { folder, ...noImage });
  assert.deepEqual(done(), [`Writing ${root}${places.units}/berth.service`]);
  const stays = await uninstallService(host);
  const removed = [...units.map((unit) => `${places.units}/${unit}`), places.current, places.cache];
  assert.deepEqual(
    done(),
    removed.map((path) => `Removed ${root}${path}`),
  );
  const words = removedInWords(host, stays);
  assert.match(
    words,
    new RegExp(`settings are kept: .*${root}${places.settings}\\. .*rm -r ${root}`),
  );
  assert.match(removedInWords({ root: '/' }, stays), /"npm run uninstall" removes all\.$/);
  assert.doesNotMatch(removedInWords(host, []), /kept/);
});

test('a repeated installation keeps the settings, and refuses invalid ones', async () => {
  const { root, host } = newMachine();
  const folder = version('1.0.0');
  await installService(host, { folder, ...noImage });
  const settings = join(root, places.settings);
  writeFileSync(settings, 'BERTH_PORT=8081\n');
  await installService(host, { folder, ...noImage });
  assert.equal(readFileSync(settings, 'utf8'), 'BERTH_PORT=8081\n');
  writeFileSync(settings, 'BERTH_PROT=8081\n');
  const wrong = /BERTH_PROT is not a setting/;
  await assert.rejects(installService(host, { folder, ...noImage }), wrong);
  const other = installService(host, { folder: version('2.0.0'), ...noImage });
  await assert.rejects(other, /The service already runs .*1\.0\.0/);
});

test('an installation that would lose data, or could not read its folder, is refused before anything is written', async () => {
  const { root, host } = newMachine();
  const closed = version('closed');
  chmodSync(closed, 0o700);
  await assert.rejects(installService(host, { folder: closed, ...noImage }), /can't read .*closed/);
  const folder = version('with-data');
  mkdirSync(join(folder, 'data', 'postgres'), { recursive: true });
  const words = (error: unknown) =>
    error instanceof SetupError && /-- --data data/.test(error.wayOut);
  await assert.rejects(installService(host, { folder, ...noImage }), words);
  assert.ok(!existsSync(root));
});

test('the service takes over a Berth that was started by hand, without another image', async () => {
  const { root, host } = newMachine();
  const folder = version('taken');
  const data = join(folder, 'data');
  mkdirSync(join(data, 'postgres'), { recursive: true });
  writeFileSync(join(data, 'secret-key'), 'key', { mode: 0o600 });
  writeFileSync(join(data, 'postgres', 'postmaster.pid'), '1');
  const taking = { folder, data, buildImage: () => assert.fail('no image is built') };
  await assert.rejects(installService(host, taking), /still runs/);
  rmSync(join(data, 'postgres', 'postmaster.pid'));
  const own = { path: '/etc/subuid', dataDir: data, added: 'b', replaced: ['a'] };
  const other = { path: '/etc/subgid', dataDir: '/srv/other', added: 'b', replaced: [] };
  mkdirSync(join(root, dirname(recordFile)), { recursive: true });
  writeFileSync(join(root, recordFile), recordText([own, other]));
  await installService(host, taking);
  // This lets an uninstall find what was written for it.
  assert.deepEqual(readRecord(root), [{ ...own, dataDir: places.data }, other]);
  assert.equal(readFileSync(join(root, places.data, 'secret-key'), 'utf8'), 'key');
  assert.ok(!existsSync(data));
  await assert.rejects(installService(host, { ...taking, data }), /a Berth in .* already/);
});

test('a removal of the service keeps data, settings and exports, which can be removed afterwards', async () => {
  const { root, host, said } = newMachine();
  await installService(host, { folder: version('1.0.0'), ...noImage });
  writeFileSync(join(root, places.data, 'secret-key'), 'key');
  const kept = await uninstallService(host);
  assert.deepEqual(kept, [places.data, places.exports, places.settings]);
  for (const unit of units) assert.ok(!existsSync(join(root, places.units, unit)), unit);
  for (const path of [places.current, places.previous, places.cache]) {
    assert.ok(!existsSync(join(root, path)), path);
  }
  assert.ok(existsSync(join(root, places.data, 'secret-key')));
  const stops = said.indexOf(
    'Not run, since --root is given: systemctl disable --now berth.service',
  );
  assert.ok(stops >= 0 && stops < said.indexOf(`Removed ${root}${places.units}/berth.service`));
  removeKept(host, kept);
  for (const path of [...kept, places.settingsFolder, dirname(places.current)]) {
    assert.ok(!existsSync(join(root, path)), path);
  }
  await uninstallService(host);
});

test('an export is restored with the tool of the version', async () => {
  const { root, host, said } = newMachine();
  const folder = version('1.0.0');
  const own = fileURLToPath(new URL('../../..', import.meta.url));
  copyFileSync(join(own, 'package.json'), join(folder, 'package.json'));
  await installService(host, { folder, ...noImage });
  // Nothing listens on this port.
  writeFileSync(join(root, places.settings), 'BERTH_PORT=1\n');
  mkdirSync(join(root, places.data, 'postgres'));
  for (const name of ['compiled', 'images']) mkdirSync(join(root, places.cache, name));
  const back = goBack(host, { isToPrevious: false, imported: '/export.gz', readyMs: 1 });
  await assert.rejects(back, /does not become ready/);
  const [, tool = ''] = /bin\/node (\S+) db import \/export\.gz$/m.exec(said.join('\n')) ?? [];
  assert.ok(existsSync(tool.replace(folder, own)), tool);
  // Each version compiles its own code.
  assert.deepEqual(readdirSync(join(root, places.cache)), ['images']);
});

test('a restore that fails says how to have the previous database back', async () => {
  const { root, host } = newMachine();
  const folder = version('1.0.0');
  const own = fileURLToPath(new URL('../../..', import.meta.url));
  copyFileSync(join(own, 'package.json'), join(folder, 'package.json'));
  await installService(host, { folder, ...noImage });
  const data = join(root, places.data);
  mkdirSync(join(data, 'postgres'));
  writeFileSync(join(data, 'postgres', 'of-before'), '');
  // The import creates an empty database before it refuses the file.
  const asService = async (wayOut: string) => {
    mkdirSync(join(data, 'postgres'));
    throw new SetupError('Failed: db import', wayOut);
  };
  const back = goBack({ ...host, asService }, { isToPrevious: false, imported: '/export.gz' });
  const error = await back.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof SetupError, String(error));
  const [, commands = ''] =
    /back: (rm .*) && systemctl start berth\.service$/.exec(error.wayOut) ?? [];
  assert.equal(spawnSync('sh', ['-c', commands]).status, 0, error.wayOut);
  assert.deepEqual(readdirSync(join(data, 'postgres')), ['of-before']);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test('systemd accepts the installed units', {
  skip: !hasSystemd && 'this machine has no systemd-analyze',
}, async () => {
  const { root, host } = newMachine();
  await installService(host, { folder: version('verified'), ...noImage });
  // Their programs must exist on this machine.
  const paths = units.map((unit) => {
    const path = join(root, places.units, unit);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll('/opt/berth/current', join(root, places.current)));
    return path;
  });
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...paths]);
  assert.deepEqual([status, String(stderr)], [0, '']);
});

test('the commands write below another root without using systemd', () => {
  const { root } = newMachine();
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [toolEntry, ...args], { encoding: 'utf8' });
  mkdirSync(join(root, places.units), { recursive: true });
  writeFileSync(join(root, places.units, 'berth.service'), '');
  const removed = run('uninstall-service', '--root', root);
  assert.equal(removed.status, 0, removed.stderr);
  assert.match(removed.stderr, /Not run, since --root is given: systemctl disable --now berth/);
  assert.ok(!existsSync(join(root, places.units, 'berth.service')));
  assert.equal(run('frob').status, 2);
  assert.match(run('install-service', '--help').stdout, /Installs Berth on this machine/);
});

test('without systemd, each command says what to do instead', {
  skip: existsSync('/run/systemd/system') && 'this machine runs systemd',
}, () => {
  const cases: [string[], RegExp][] = [
    [['install-service'], /run "npm start" in this directory at boot/],
    [['uninstall-service'], /remove "npm start" from .* init system/],
    [['upgrade'], /npm run db -- export FILE.* BERTH_DATA_DIR/],
    [['upgrade', '--back'], /"npm start" in the directory of the previous version/],
    [['upgrade', '--back', '--import', 'x.gz'], /npm run db -- import FILE/],
  ];
  for (const [args, words] of cases) {
    const { status, stderr } = spawnSync(process.execPath, [toolEntry, ...args], {
      encoding: 'utf8',
    });
    assert.equal(status, 1, stderr);
    assert.match(stderr, /This machine was not started by systemd\./);
    assert.match(stderr.replaceAll('\n', ' '), words);
    if (args[0] !== 'install-service') assert.doesNotMatch(stderr, /at boot/);
  }
});

test('each command in the documentation exists', () => {
  const own = fileURLToPath(new URL('../../..', import.meta.url));
  const scriptsOf = (workspace: string) =>
    JSON.parse(readFileSync(join(own, workspace, 'package.json'), 'utf8')).scripts;
  const command = /npm run (?:-s )?([a-z][a-z0-9:-]*)(?: -w ([a-z]+))?/g;
  for (const page of [
    'README.md',
    'CONTRIBUTING.md',
    ...globSync('docs/{,guides/}*.md', { cwd: own }),
  ]) {
    const text = readFileSync(join(own, page), 'utf8');
    for (const [whole, name = '', workspace = '.'] of text.matchAll(command)) {
      assert.ok(name in scriptsOf(workspace), `${page}: ${whole}`);
    }
  }
});

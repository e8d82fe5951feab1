import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hasPassed, notePassed, versionOf } from './checked.mjs';
import { kernelChanges, withWideRange } from './kernel.mjs';
import { requireFreePortToStart } from './listening.mjs';
import { ensureNodePackages, sameVersions } from './node-packages.mjs';
import { requireRootForParts } from './root.mjs';
import { backportsSource, ensureSystemPackages } from './system-packages.mjs';
import { changedLines, dataDirectory, withFile, withLine } from './written.mjs';

test('backports use the mirror and the key of a deb822 file', () => {
  const sources = [
    'Types: deb\nURIs: http://mirror.example/security\nSuites: bookworm-security\nComponents: main',
    'Types: deb\n# a comment\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\n' +
      'Components: main\nSigned-By: /usr/share/keyrings/mine.gpg',
  ].join('\n\n');
  assert.equal(
    backportsSource(sources),
    'Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm-backports\nComponents: main\n' +
      'Signed-By: /usr/share/keyrings/mine.gpg\n',
  );
});

test('backports use the mirror of a one-line file, with and without options', () => {
  const key = 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg';
  const plain = backportsSource('deb http://deb.debian.org/debian bookworm main contrib\n');
  assert.match(plain, /^URIs: http:\/\/deb\.debian\.org\/debian$/m);
  assert.ok(plain.includes(key));
  const signed = backportsSource('deb [arch=amd64 signed-by=/k.gpg] http://m/debian bookworm main');
  assert.match(signed, /^Signed-By: \/k\.gpg$/m);
});

test('backports are not added without a Debian 12 mirror', () => {
  assert.equal(backportsSource('deb http://archive.ubuntu.com/ubuntu noble main'), undefined);
});

test('a start whose port is in use ends before anything is installed, and other commands need no port', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  const BERTH_PORT = String(other.address().port);
  const start = { npm_lifecycle_event: 'prestart', BERTH_PORT };
  await assert.rejects(requireFreePortToStart(start), (error) => {
    assert.equal(error.message, `The port ${BERTH_PORT} of 127.0.0.1 is in use.`);
    assert.match(error.wayOut, /set BERTH_PORT to another port/);
    return true;
  });
  const prepare = fileURLToPath(new URL('prepare.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [prepare, 'start'], {
    env: { ...process.env, ...start },
    encoding: 'utf8',
  });
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr, /^\nThe port \d+ of 127\.0\.0\.1 is in use\.\n/);
  // A service that is installed or upgraded can run already.
  for (const npm_lifecycle_event of ['preinstall-service', 'preupgrade', 'predb'])
    await requireFreePortToStart({ npm_lifecycle_event, BERTH_PORT });
  for (const wrong of ['eighty', '70000', '-1'])
    await requireFreePortToStart({ ...start, BERTH_PORT: wrong });
  await requireFreePortToStart({ ...start, BERTH_PORT, BERTH_HOST: '192.0.2.1' });
});

test('test:all says at once that a part needs root, and other parts do not need it', () => {
  for (const [part, args] of [
    ['guests', []],
    ['e2e', ['--part', 'service', '--part', 'e2e']],
    ['cluster', ['--all', '--part=cluster']],
    ['engine', ['--part', 'engine', 'incus-sim/contract/files.test.ts']],
  ]) {
    assert.throws(
      () => requireRootForParts(args, { asRoot: false }),
      ({ message, wayOut }) => {
        assert.equal(message, `The part "${part}" needs root: it starts an Incus of its own.`);
        return /such as --part service/.test(wayOut);
      },
    );
    requireRootForParts(args, { asRoot: true });
  }
  for (const args of [
    ['--part', 'service', 'e2e'],
    ['--part', 'none'],
    ['--part'],
    ['--list'],
    ['-h'],
  ])
    requireRootForParts(args, { asRoot: false });
});

test('a check that passed is repeated only if something has changed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-setup-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'status');
  assert.equal(versionOf(file), undefined);
  writeFileSync(file, 'one');
  const first = String(versionOf(file));
  assert.equal(hasPassed('npm', first, folder), false);
  notePassed('npm', first, folder);
  assert.ok(hasPassed('npm', String(versionOf(file)), folder));
  assert.equal(hasPassed('dpkg', first, folder), false);
  writeFileSync(file, 'another');
  assert.equal(hasPassed('npm', String(versionOf(file)), folder), false);
});

/** A folder with npm packages of another user, to whom nobody but root can give it. */
function packagesOfOther(t) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-setup-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules'));
  chownSync(join(folder, 'node_modules'), 65_534, 65_534);
  return folder;
}

const skip = process.getuid() !== 0 && 'this needs root';
const installed = fileURLToPath(new URL('../node_modules', import.meta.url));
const ownsPackages = statSync(installed).uid === process.getuid();

test('root notes no check among the npm packages of another user, who could not remove it', {
  skip,
}, (t) => {
  const packages = join(packagesOfOther(t), 'node_modules');
  notePassed('npm', 'state', join(packages, '.cache', 'berth-setup'));
  assert.deepEqual(readdirSync(packages), []);
});

test('a start keeps its compiled code among its own npm packages only', { skip }, (t) => {
  const own = fileURLToPath(new URL('../', import.meta.url));
  const { start } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')).scripts;
  const script = start.replace(/exec .*/, 'printf %s "$NODE_COMPILE_CACHE"');
  const env = { PATH: process.env.PATH };
  const cacheIn = (cwd) => execFileSync('/bin/sh', ['-c', script], { cwd, env, encoding: 'utf8' });
  const folder = packagesOfOther(t);
  assert.equal(cacheIn(folder), '');
  chownSync(join(folder, 'node_modules'), 0, 0);
  assert.equal(cacheIn(folder), 'node_modules/.cache/berth-compiled');
});

test('a second start asks no package manager', {
  skip: !ownsPackages && 'the npm packages belong to another user',
}, (t) => {
  const start = () => {
    ensureNodePackages();
    ensureSystemPackages({ forTests: false, forBench: false });
  };
  start();
  const { PATH } = process.env;
  t.after(() => {
    process.env.PATH = PATH;
  });
  process.env.PATH = '/nonexistent';
  start();
});

test('a kernel limit that is high enough is not changed', () => {
  const current = { a: 10, b: 99 };
  assert.deepEqual(
    kernelChanges({ a: 20, b: 20 }, (name) => current[name]),
    ['a'],
  );
});

test('bridges are set to filter IPv6 and not IPv4, whatever was set before', () => {
  const ipv6 = 'net.bridge.bridge-nf-call-ip6tables';
  const ipv4 = 'net.bridge.bridge-nf-call-iptables';
  const wanted = { [ipv6]: 1, [ipv4]: 0 };
  assert.deepEqual(
    kernelChanges(wanted, () => 1),
    [ipv4],
  );
  assert.deepEqual(
    kernelChanges(wanted, () => 0),
    [ipv6],
  );
  assert.deepEqual(
    kernelChanges(wanted, (name) => wanted[name]),
    [],
  );
});

test('the id range of root is enlarged after those of others, if it is too small', () => {
  const wide = 'root:1000000:1000000000\n';
  assert.equal(withWideRange(wide), wide);
  assert.equal(
    withWideRange('me:100000:65536\nroot:165536:65536\n'),
    'me:100000:65536\nroot:1000000:1000000000\n',
  );
  assert.equal(withWideRange('me:2000000:65536\n'), 'me:2000000:65536\nroot:2065536:1000000000\n');
});

test('written files are recorded for the first writer, and existing files are not', () => {
  const file = { path: '/etc/x', dataDir: '/one', sha256: 'a' };
  assert.deepEqual(withFile([], file, true), []);
  assert.deepEqual(withFile([], file, false), [file]);
  const later = { path: '/etc/x', dataDir: '/two', sha256: 'b' };
  assert.deepEqual(withFile([file], later, true), [{ ...later, dataDir: '/one' }]);
  assert.deepEqual(withFile([file], later, false), [later]);
});

test('the lines that a larger id range replaces are recorded with it', () => {
  const before = 'me:100000:65536\nroot:165536:65536\n';
  assert.deepEqual(changedLines(before, withWideRange(before)), {
    added: 'root:1000000:1000000000',
    replaced: ['root:165536:65536'],
  });
  const first = { path: '/etc/subuid', dataDir: '/one', added: 'b', replaced: ['a'] };
  const second = { ...first, added: 'c', replaced: ['b'] };
  assert.deepEqual(withLine([], first), [first]);
  assert.deepEqual(
    withLine([first], second),
    [{ ...second, replaced: ['a'] }],
    'as it was before the first change',
  );
});

test('changes are recorded for the data directory of the service', () => {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const prepared = (script, env = {}) => dataDirectory({ npm_lifecycle_event: script, ...env });
  // With "npm --prefix", the shell may be in another directory.
  const elsewhere = { INIT_CWD: '/srv' };
  assert.equal(prepared('prestart', elsewhere), join(folder, 'data'));
  assert.equal(
    prepared('prestart', { ...elsewhere, BERTH_DATA_DIR: 'other' }),
    join(folder, 'other'),
  );
  assert.equal(prepared('prestart', { BERTH_DATA_DIR: '/var/lib/b' }), '/var/lib/b');
  assert.equal(prepared('preinstall-service', elsewhere), '/var/lib/berth');
  assert.equal(prepared('preupgrade'), '/var/lib/berth');
  assert.equal(prepared('pretest'), undefined);
});

test('npm packages are current if each is installed in its version', () => {
  const lock = (version, more = {}) => ({
    packages: { '': {}, contract: {}, 'node_modules/a': { version }, ...more },
  });
  assert.equal(sameVersions(lock('1.0.0'), lock('1.0.0')), true);
  assert.equal(sameVersions(lock('1.0.0'), lock('1.1.0')), false);
  const otherMachine = { 'node_modules/b': { version: '1.0.0', optional: true } };
  assert.equal(sameVersions(lock('1.0.0', otherMachine), lock('1.0.0')), true);
  const needed = { 'node_modules/b': { version: '1.0.0' } };
  assert.equal(sameVersions(lock('1.0.0', needed), lock('1.0.0')), false);
});

test('npm packages are not current without the Node.js of this platform', () => {
  const path = `node_modules/node-${process.platform}-${process.arch}`;
  const lock = { packages: { [path]: { version: '24.0.0', optional: true } } };
  assert.equal(sameVersions(lock, { packages: {} }), false);
  assert.equal(sameVersions(lock, lock), true);
});

const readJson = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const { allowScripts, dependencies, devDependencies, optionalDependencies } =
  readJson('package.json');

/** Whether npm would install it on a supported platform: Linux with glibc, x64 or arm64. */
const isForUs = ([, { os = 'linux', cpu = ['x64', 'arm64'], libc = 'glibc' }]) =>
  [os].flat().includes('linux') &&
  [cpu].flat().some((one) => ['x64', 'arm64'].includes(one)) &&
  [libc].flat().includes('glibc');
const locked = Object.entries(readJson('package-lock.json').packages)
  .filter(([path, { link }]) => path.startsWith('node_modules/') && !link)
  .filter(isForUs);

test('the lock file has a hash of each package, which npm verifies', () => {
  assert.ok(locked.length > 100);
  for (const [path, { integrity }] of locked) {
    assert.match(integrity ?? 'none', /^sha512-[A-Za-z0-9+/]{86}==$/, path);
  }
});

test('the lock file has Node.js, in one version for both architectures', () => {
  assert.equal({ ...dependencies, ...devDependencies }.node, undefined);
  const versions = ['x64', 'arm64'].map((arch) => {
    const [, found] = locked.find(([path]) => path === `node_modules/node-linux-${arch}`) ?? [];
    assert.equal(found?.version, optionalDependencies[`node-linux-${arch}`]);
    assert.deepEqual([found?.hasInstallScript, found?.dependencies], [undefined, undefined]);
    return found?.version;
  });
  assert.equal(versions[0], versions[1]);
});

test('only the listed packages have install scripts', () => {
  const withScripts = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  assert.deepEqual(withScripts.sort(), Object.keys(allowScripts).sort());
});

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeRelease, makeTarball, sectionOf } from './release.mjs';

const clone = fileURLToPath(new URL('..', import.meta.url));
const skip = !existsSync(join(clone, '.git')) && 'a release is made in a clone';
const directory = mkdtempSync(join(tmpdir(), 'berth-release-test-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const print = (command, args, cwd = clone) =>
  execFileSync(command, args, { cwd, encoding: 'utf8' });
const ofCommit = (path) => print('git', ['show', `HEAD:${path}`]);
// It takes seconds, most of them for the bill of materials.
let made;
const release = () => {
  made ??= makeRelease({ directory: join(directory, 'whole'), isDraft: true });
  return made;
};

test('a release has a tarball, a bill of materials, notes, and checksums', { skip }, () => {
  const { version, commit, files } = release();
  assert.equal(version, JSON.parse(ofCommit('package.json')).version);
  assert.equal(commit, print('git', ['rev-parse', 'HEAD']).trim());
  const names = ['tar.gz', 'cdx.json', 'md'].map((end) => `berth-${version}.${end}`);
  assert.deepEqual(
    files.map((file) => basename(file)),
    names,
  );
  const checked = print('sha256sum', ['-c', 'SHA256SUMS'], join(directory, 'whole'));
  assert.deepEqual(
    checked.trim().split('\n'),
    names.map((name) => `${name}: OK`),
  );
});

test('the tarball has the files of the commit, and its id', { skip }, () => {
  const { version, commit, files } = release();
  const paths = print('tar', ['-tzf', files[0]]).split('\n');
  const listed = paths.filter((path) => path !== '' && !path.endsWith('/'));
  const committed = print('git', ['ls-tree', '-r', '--name-only', '-z', 'HEAD']).split('\0');
  const expected = [...committed.filter(Boolean), 'release.json'];
  const folder = `berth-${version}/`;
  assert.deepEqual(listed.sort(), expected.map((path) => folder + path).sort());
  const read = (path) => print('tar', ['-xzOf', files[0], folder + path]);
  assert.equal(read('package-lock.json'), ofCommit('package-lock.json'));
  assert.deepEqual(JSON.parse(read('release.json')), { version, commit });
});

test('the tarball has what was built where the service finds it', { skip }, () => {
  const site = join(directory, 'built-site');
  mkdirSync(join(site, 'assets'), { recursive: true });
  writeFileSync(join(site, 'index.html'), 'first page');
  writeFileSync(join(site, 'assets/app.js'), 'script');
  const { version } = JSON.parse(ofCommit('package.json'));
  const tarball = makeTarball({ directory, built: { 'site/dist': site, 'panel/dist': site } });
  const read = (path) => print('tar', ['-xzOf', tarball, `berth-${version}/${path}`]);
  assert.equal(read('site/dist/index.html'), 'first page');
  assert.equal(read('site/dist/assets/app.js'), 'script');
  assert.equal(read('panel/dist/assets/app.js'), 'script');
  assert.equal(read('package-lock.json'), ofCommit('package-lock.json'));
  assert.equal(JSON.parse(read('release.json')).version, version);
});

test('the same commit makes the same tarball', { skip }, () => {
  const sums = [release().files[0], makeTarball({ directory })].map((tarball) =>
    createHash('sha256').update(readFileSync(tarball)).digest('hex'),
  );
  assert.equal(sums[0], sums[1]);
});

test('the bill of materials has each installed package with its hash', { skip }, () => {
  const { version, files } = release();
  const { bomFormat, metadata, components } = JSON.parse(readFileSync(files[1], 'utf8'));
  assert.deepEqual([bomFormat, metadata.component.name], ['CycloneDX', 'berth']);
  assert.equal(metadata.component.version, version);
  const { packages } = JSON.parse(ofCommit('package-lock.json'));
  const locked = Object.entries(packages)
    .filter(([path, { link }]) => path.startsWith('node_modules/') && !link)
    .map(([path, { version: its, integrity }]) => {
      const name = path.replace(/^.*node_modules\//, '');
      // The lock file has no packages for other platforms.
      return `${name}@${its} ${integrity && hexOf(integrity)}`;
    });
  const listed = new Set(
    components.map(({ name, version: its, hashes }) => `${name}@${its} ${hashes?.[0]?.content}`),
  );
  assert.ok(locked.length > 100);
  assert.deepEqual(
    locked.filter((one) => !listed.has(one)),
    [],
  );
});

const hexOf = (integrity) =>
  Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');

const changelog = `# Changelog

## [2.0.0] - unreleased

### Added

- One.

## [1.0.0] - 2026-11-21

- Two.
`;

test('the release notes are the section of the version in the changelog', { skip }, () => {
  assert.deepEqual(sectionOf(changelog, '2.0.0'), {
    date: 'unreleased',
    notes: '### Added\n\n- One.\n',
  });
  assert.deepEqual(sectionOf(changelog, '1.0.0'), { date: '2026-11-21', notes: '- Two.\n' });
  assert.throws(() => sectionOf(changelog, '1.0'), /has no section for 1\.0\./);
  const { version, files } = release();
  const { notes } = sectionOf(ofCommit('CHANGELOG.md'), version);
  assert.equal(readFileSync(files[2], 'utf8'), notes);
});

test('a version without a date can only be released as a draft', { skip }, () => {
  const { version } = JSON.parse(ofCommit('package.json'));
  const { date } = sectionOf(ofCommit('CHANGELOG.md'), version);
  const dated = () => makeRelease({ directory: join(directory, 'dated') });
  if (date === 'unreleased') assert.throws(dated, /CHANGELOG\.md says that .* is unreleased/);
  else assert.equal(dated().version, version);
  assert.equal(existsSync(join(directory, 'dated')), date !== 'unreleased');
});

test('help and an unknown option print the usage', () => {
  const run = (option) =>
    spawnSync(process.execPath, ['setup/release.mjs', option], { cwd: clone, encoding: 'utf8' });
  const help = run('--help');
  assert.equal(help.status, 0, help.stderr);
  assert.match(help.stdout, /^Creates a release of the commit.*--draft/s);
  const wrong = run('--fast');
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /^Unknown option '--fast'.*Creates a release/s);
  assert.doesNotMatch(wrong.stderr, /\bat .*release\.mjs/);
});

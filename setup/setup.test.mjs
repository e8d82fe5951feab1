import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelChanges, withWideRange } from './kernel.mjs';
import { sameVersions } from './node-packages.mjs';
import { backportsSource } from './system-packages.mjs';

test('the backports are added beside the mirror that a deb822 file names, with its key', () => {
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

test('the same from a one-line file, with and without options', () => {
  const key = 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg';
  const plain = backportsSource('deb http://deb.debian.org/debian bookworm main contrib\n');
  assert.match(plain, /^URIs: http:\/\/deb\.debian\.org\/debian$/m);
  assert.ok(plain.includes(key));
  const signed = backportsSource('deb [arch=amd64 signed-by=/k.gpg] http://m/debian bookworm main');
  assert.match(signed, /^Signed-By: \/k\.gpg$/m);
});

test('without a Debian 12 mirror there is nothing to add', () => {
  assert.equal(backportsSource('deb http://archive.ubuntu.com/ubuntu noble main'), undefined);
});

test('a limit that is high enough is left alone', () => {
  const current = { a: 10, b: 99 };
  assert.deepEqual(
    kernelChanges({ a: 20, b: 20 }, (name) => current[name]),
    ['a'],
  );
});

test('bridges filter IPv6 and not IPv4, whatever was set before', () => {
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

test('root’s range of ids is widened beyond those of others, or left as it is', () => {
  const wide = 'root:1000000:1000000000\n';
  assert.equal(withWideRange(wide), wide);
  assert.equal(
    withWideRange('me:100000:65536\nroot:165536:65536\n'),
    'me:100000:65536\nroot:1000000:1000000000\n',
  );
  assert.equal(withWideRange('me:2000000:65536\n'), 'me:2000000:65536\nroot:2065536:1000000000\n');
});

test('npm packages are current when each is there in its version', () => {
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

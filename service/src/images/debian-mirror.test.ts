import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mirrorOf, sourcesList } from './debian-mirror.ts';

test('the mirror of a Debian machine is used', () => {
  const targets = [
    'Debian Backports|Debian Backports|http://mirror.example/debian/',
    'Debian|Debian-Security|http://mirror.example/debian-security/',
    'Debian|Debian|http://mirror.example/debian/',
  ];
  assert.deepEqual(mirrorOf(targets.join('\n')), {
    archive: 'http://mirror.example/debian',
    security: 'http://mirror.example/debian-security',
  });
});

test('on another system the public mirror is used', () => {
  const { archive } = mirrorOf('Ubuntu|Ubuntu|http://archive.ubuntu.com/ubuntu/\n');
  assert.equal(archive, 'http://deb.debian.org/debian');
});

test('a mirror that guests could not reach is not used', () => {
  assert.equal(mirrorOf('Debian|Debian|file:/mnt/debian/').archive, 'http://deb.debian.org/debian');
});

test('the sources name the release, its updates and its security updates', () => {
  const lines = sourcesList({ archive: 'http://a', security: 'http://s' }, 'bookworm');
  assert.deepEqual(lines, [
    'deb http://a bookworm main',
    'deb http://a bookworm-updates main',
    'deb http://s bookworm-security main',
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedIn } from '../../testing/signed-in.ts';

const { berth } = await signedIn();

const size = ['--cpu', '1', '--ram', '512M', '--disk', '5G', '--generate-password'];

test('an operating system is given by its slug or its whole name, in any case', async () => {
  for (const [index, os] of ['Debian-12', 'Debian 12', ' debian  12'].entries()) {
    const name = `web-${index}`;
    const created = await berth(['server', 'create', name, '--os', os, ...size, '--no-wait']);
    assert.equal(created.status, 0, created.stderr);
  }
  const listed = await berth(['server', 'list', '--os', 'debian 12', '-o', 'name']);
  assert.equal(listed.stdout, 'web-0\nweb-1\nweb-2\n');
  const shown = await berth(['os', 'show', 'Debian 12', '-o', 'name']);
  assert.equal(shown.stdout, 'debian-12\n');
  assert.equal((await berth(['image', 'list', 'Debian 12'])).status, 0);
});

test('if there is none, the one that was meant and the choices are named', async () => {
  for (const os of ['Debian 21', 'debian-21']) {
    const { status, stderr } = await berth(['server', 'create', 'x', '--os', os, ...size]);
    assert.equal(status, 2);
    assert.match(stderr, /\nDid you mean debian-12\?\nThe operating systems are debian-12/);
  }
});

test('a whole name that several have is refused, with their slugs', async () => {
  const added = ['--name', 'Debian', '--version', '12', '--alias', 'debian/12/cloud'];
  const from = ['--image-server', 'https://images.linuxcontainers.org'];
  const least = ['--min-ram', '256M', '--min-disk', '1G'];
  const made = await berth(['os', 'create', 'debian-12-other', ...added, ...from, ...least]);
  assert.equal(made.status, 0, made.stderr);
  const { status, stderr } = await berth(['os', 'show', 'Debian 12']);
  assert.equal(status, 2);
  assert.match(stderr, /Give one of debian-12, debian-12-other\./);
});

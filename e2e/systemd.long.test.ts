import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '../service/src/testing/until.ts';
import { directory } from './api.ts';
import { createMachine, type Machine, removeMachine } from './machine/machine.ts';

// Tests the standard installation of docs/installation.md on a machine with systemd: each test goes on where the one before
// has ended.

const [first, second] = ['/opt/berth/1', '/opt/berth/2'];
const own = join(directory(), 'berth-machine');
let machine: Machine;

before(async () => {
  machine = await createMachine(own);
  await machine.start();
});
after(async () => {
  await machine.cutPower();
  await removeMachine(own);
});

/** Runs a script of a version in its directory, as documented. */
const npm = (version: string, ...args: string[]) =>
  machine.run('env', '-C', version, 'npm', 'run', '-s', ...args);
const berth = (...args: string[]) => machine.run('env', '-C', first, 'npx', 'berth', ...args);
const systemctl = (...args: string[]) => machine.run('systemctl', ...args);
const property = (unit: string, name: string) =>
  systemctl('show', '--value', `--property=${name}`, unit);
const fileExists = (path: string) =>
  machine.run('test', '-e', path).then(
    () => true,
    () => false,
  );

/** Resolves when the service can be used; while it starts, its socket refuses connections. */
async function isReady(): Promise<void> {
  await until(
    'the service is ready',
    () =>
      berth('location', 'list').then(
        () => true,
        () => false,
      ),
    Boolean,
    120,
  );
}

/** As Berth shows it, and as it is. */
async function stateOfServer(): Promise<string> {
  const { status } = JSON.parse(await berth('server', 'show', 'web-1', '-o', 'json'));
  return `${status}, ${await instance('s')}`;
}

/** A column of the only instance in Incus. */
const instance = (column: string) =>
  machine.run('incus', 'list', '--project=berth', '--format=csv', `--columns=${column}`);

test('npm run install-service installs a service that creates servers', async () => {
  await npm(first, 'install-service');
  assert.equal(await property('berth', 'ActiveState'), 'active');
  await until(
    'it has written its first token',
    () => fileExists('/var/lib/berth/admin-token'),
    Boolean,
    120,
  );
  await machine.run(
    'sh',
    '-c',
    `cd ${first} && npx berth login http://127.0.0.1:8080 --token-stdin < /var/lib/berth/admin-token`,
  );
  await berth(
    ...'server create web-1 --location local --os debian-12 --cpu 1 --ram 256M --disk 2G --generate-password --wait'.split(
      ' ',
    ),
  );
  assert.equal(await stateOfServer(), 'started, RUNNING');
  assert.equal(await property('berth', 'User'), 'berth');
  assert.equal(await property('berth', 'NRestarts'), '0');
});

test('its helper limits the disk of a server, although the service is not root', async () => {
  const inGuest = async (command: string) =>
    machine.run('incus', 'exec', '--project=berth', await instance('n'), '--', 'sh', '-c', command);
  await assert.rejects(inGuest('head -c 3G /dev/zero > /big'), /Disk quota exceeded/);
  await inGuest('rm /big');
});

test('systemd starts it again after it was killed', async () => {
  const pid = await property('berth', 'MainPID');
  await machine.run('kill', '-KILL', pid);
  await until(
    'another process runs',
    () => property('berth', 'MainPID'),
    (now) => now !== pid && now !== '0',
  );
  await isReady();
  assert.equal(await stateOfServer(), 'started, RUNNING');
});

test('its timer exports the database', async () => {
  assert.equal(await property('berth-export.timer', 'ActiveState'), 'active');
  await systemctl('start', 'berth-export');
  assert.match(await machine.run('ls', '/var/backups/berth'), /^berth-\d+T\d+Z\.gz$/);
});

test('an export is restored with one command, and by hand', async () => {
  const folder = '/var/backups/berth';
  const file = `${folder}/${await machine.run('ls', folder)}`;
  await npm(first, 'upgrade', '--', '--import', file);
  await isReady();
  assert.equal(await stateOfServer(), 'started, RUNNING');

  await systemctl('stop', 'berth');
  await machine.run('mv', '/var/lib/berth/postgres', '/var/lib/berth/postgres.moved');
  const imports = `runuser -u berth -- env BERTH_DATA_DIR=/var/lib/berth \
    node_modules/.bin/node service/src/cli/main.ts db import ${file}`;
  await machine.run('env', '-C', '/opt/berth/current', 'sh', '-c', imports);
  await systemctl('start', 'berth');
  await isReady();
  assert.equal(await stateOfServer(), 'started, RUNNING');
});

test('after a power failure, the service and its servers run again', async () => {
  await machine.cutPower();
  await machine.start();
  await isReady();
  await until('the server runs', stateOfServer, (state) => state === 'started, RUNNING');
  assert.equal(await property('berth', 'NRestarts'), '0');
});

test('npm run upgrade changes to another version, and back', async () => {
  await npm(second, 'upgrade');
  assert.equal(await machine.run('readlink', '/opt/berth/current'), second);
  await isReady();
  assert.match(await machine.run('ls', '/var/backups/berth'), /before-/);
  await npm(second, 'upgrade', '--', '--back');
  assert.equal(await machine.run('readlink', '/opt/berth/current'), first);
  await isReady();
  assert.equal(await stateOfServer(), 'started, RUNNING');
});

test('npm run uninstall-service keeps the data, and npm run uninstall removes everything', async () => {
  await npm(first, 'uninstall-service');
  assert.doesNotMatch(await systemctl('list-unit-files'), /berth/);
  await assert.rejects(machine.run('getent', 'passwd', 'berth'));
  assert.ok(await fileExists('/var/lib/berth/secret-key'));
  assert.match(await machine.run('incus', 'project', 'list', '--format=csv'), /^berth,/m);

  await npm(first, 'uninstall', '--', '--yes');
  for (const path of ['/var/lib/berth', '/etc/berth', '/var/backups/berth', '/var/cache/berth'])
    assert.ok(!(await fileExists(path)), path);
  assert.doesNotMatch(await machine.run('incus', 'project', 'list', '--format=csv'), /^berth,/m);
  assert.equal(await machine.run('incus', 'storage', 'list', '--format=csv'), '');
});

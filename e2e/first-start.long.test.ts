import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { imageAlias } from '../service/src/images/images.ts';
import { createIncusClient } from '../service/src/incus/client.ts';
import { deniedCalls } from '../service/src/instances/confinement.ts';
import {
  type Defined,
  instanceDevices,
  lastingConfig,
} from '../service/src/servers/engine/instance.ts';
import { until } from '../service/src/testing/until.ts';
import {
  call,
  create,
  created,
  incusNetwork,
  incusPool,
  incusProject,
  incusSocket,
  operations,
  primaryAddress,
  remove,
  status,
  untilIdle,
  view,
} from './api.ts';
import { assertNoSubvolumes } from './attacks/subvolumes.ts';
import { incus } from './incus.ts';
import { run } from './processes.ts';
import { ssh, sshWithKey, untilSsh } from './ssh.ts';

// Tests a new guest with both ways to set it up: from files, for images that Berth has built, and by cloud-init, for
// other images.

const onIncus = (...args: string[]) =>
  incus({ socketPath: incusSocket(), names: { project: incusProject() } }, args);

const client = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
after(() => client.close());

const image = imageAlias('debian-12');
const property = 'berth.first-start';

const ways = [
  { way: 'from files', cloudInit: 'status: disabled', prepare: async () => undefined },
  {
    way: 'by cloud-init',
    cloudInit: 'status: done',
    prepare: () => onIncus('image', 'unset-property', image, property),
  },
];

function letsIn(address: string, path: string): boolean {
  try {
    return sshWithKey(address, path, 'whoami') === 'root';
  } catch {
    return false;
  }
}

/** The keys of a configuration or of a device that isolate a guest. */
const isolationIn = (keys: Record<string, string>) =>
  Object.fromEntries(Object.entries(keys).filter(([key]) => key.startsWith('security.')));

/** The keys that isolate a guest, in its configuration and in each of its devices. */
const isolationOf = (
  config: Record<string, string>,
  devices: Record<string, Record<string, string>>,
) => ({
  config: isolationIn(config),
  devices: Object.fromEntries(
    Object.entries(devices).map(([name, keys]) => [name, isolationIn(keys)]),
  ),
});

/** What Berth sets to isolate a container on a managed bridge. */
function promisedIsolation(uuid: string) {
  const server: Defined = {
    ...{ uuid, mac: '', cpu: 1, ramMb: 512, diskGb: 4, addresses: [] },
    storagePool: incusPool(),
    network: { kind: 'bridge', name: incusNetwork() },
    os: { type: 'container' },
  };
  const config = { ...lastingConfig(server, ''), ...deniedCalls };
  return isolationOf(config, instanceDevices(server));
}

for (const { way, cloudInit, prepare } of ways) {
  describe(`a server that is set up ${way}`, () => {
    before(prepare);
    after(() => onIncus('image', 'set-property', image, property, '1'));

    it('has its host name, and its own machine id and host keys', async () => {
      const wishes = ['one', 'two'].map((name) => created({ name: `${name}.example.org` }));
      const servers = await Promise.all(wishes);
      const ids = new Set<string>();
      for (const [index, server] of servers.entries()) {
        const name = ['one', 'two'][index];
        const on = (command: string) => ssh(primaryAddress(server), command);
        assert.equal(server.status, 'started');
        assert.equal(await on('hostname; hostname -f'), `${name}\n${name}.example.org`);
        assert.equal(await on('getent hosts localhost | wc -l'), '1');
        assert.equal(await on('cloud-init status || true'), cloudInit);
        const machine = await on('cat /etc/machine-id');
        assert.match(machine, /^[0-9a-f]{32}$/);
        const keys = (await on('cd /etc/ssh && stat -c "%a %U %n" ssh_host_*')).split('\n');
        assert.deepEqual(keys, [
          '600 root ssh_host_ecdsa_key',
          '644 root ssh_host_ecdsa_key.pub',
          '600 root ssh_host_ed25519_key',
          '644 root ssh_host_ed25519_key.pub',
        ]);
        const prints = await on('cd /etc/ssh && for key in *.pub; do ssh-keygen -lf $key; done');
        const hashes = prints.split('\n').map((line) => line.split(' ')[1] ?? '');
        assert.equal(hashes.length, 2);
        for (const own of [machine, ...hashes]) {
          assert.ok(!ids.has(own), `${own} is of two servers`);
          ids.add(own);
        }
        assert.equal(await on('systemctl is-system-running --wait'), 'running');
      }
      await Promise.all(servers.map(({ id }) => remove(id)));
    });

    it('runs its commands once and in order, through a reboot and a power failure', async () => {
      const note = (word: string) => `echo ${word} >> /root/ran`;
      const server = await create({
        initialCommands: [
          `${note('one')}; echo printed; reboot`,
          `${note('two')}; sync; sleep 600`,
          note('three'),
        ],
      });
      await until(
        'the second command runs',
        () => status(server.id),
        (now) => /running command 2 of 3/.test(now.status),
      );
      await onIncus('stop', '--force', `srv-${server.uuid}`);
      await untilIdle(server.id);
      const [operation] = await operations(server.id);
      const results = operation?.commands?.map(({ exit_status, output }) => [exit_status, output]);
      assert.deepEqual(results?.[0], [0, 'printed\n']);
      assert.equal(results?.[1]?.[0], 143);
      assert.deepEqual(results?.[2], [0, '']);
      const address = primaryAddress(await view(server.id));
      assert.equal(await ssh(address, 'cat /root/ran'), 'one\ntwo\nthree');
      await remove(server.id);
    });

    it('keeps background processes of its commands, and none of the files it was given', async () => {
      const secret = 'canary-51f0e2';
      const server = await created({
        initialCommands: [
          `sleep 4321 & echo left`,
          `true ${secret}`,
          'systemctl restart ssh.service',
        ],
      });
      const address = primaryAddress(server);
      const [operation] = await operations(server.id);
      const statuses = operation?.commands?.map(({ exit_status: code }) => code);
      assert.deepEqual(statuses, [0, 0, 0]);
      assert.match(await ssh(address, 'pgrep -f "^sleep 4321"'), /^\d+$/);
      const places = '/var/lib /var/log /etc /run /tmp /root';
      // Not the complete text, so that it does not match the command that searches for it.
      const found = await ssh(address, `grep -rslF ${secret.slice(0, -1)} ${places} || true`);
      assert.equal(found, '');
      assert.equal(await ssh(address, 'ls -d /var/lib/berth 2>/dev/null || echo gone'), 'gone');
      await remove(server.id);
    });

    it('lets root in by key, and by no password', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'berth-e2e-key-'));
      const path = join(folder, 'key');
      run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
      const public_key = readFileSync(`${path}.pub`, 'utf8');
      const key = await call<{ id: number }>('POST', '/v1/ssh-keys', { name: way, public_key });
      assert.equal(key.status, 201, JSON.stringify(key.body));
      const wish = { ssh_keys: [way], password_login: false };
      const servers = await Promise.all([created(wish), created({ ...wish, password: undefined })]);
      for (const server of servers) {
        const address = primaryAddress(server);
        assert.equal(sshWithKey(address, path, 'whoami'), 'root');
        const modes = 'stat -c "%a %U %n" .ssh .ssh/authorized_keys';
        assert.equal(
          sshWithKey(address, path, modes),
          '700 root .ssh\n600 root .ssh/authorized_keys',
        );
        await assert.rejects(ssh(address, 'true'), /Permission denied/);
        await onIncus('restart', `srv-${server.uuid}`);
        await until('it lets the key in again', () => letsIn(address, path));
        await assert.rejects(ssh(address, 'true'), /Permission denied/);
      }
      await Promise.all(servers.map(({ id }) => remove(id)));
      await call('DELETE', `/v1/ssh-keys/${key.body.id}`);
      rmSync(folder, { recursive: true });
    });

    it('is isolated by all settings of Berth and no others, and its root can not create subvolumes', async () => {
      const server = await created();
      const instance = await client.instances.get(`srv-${server.uuid}`);
      const { expanded_config: config, expanded_devices: devices } = instance ?? {};
      assert.deepEqual(isolationOf(config ?? {}, devices ?? {}), promisedIsolation(server.uuid));
      await assertNoSubvolumes(server);
      await remove(server.id);
    });

    it('keeps its identity after a restart', async () => {
      const server = await created({ name: 'again.example.org' });
      const address = primaryAddress(server);
      const look =
        'hostname -f; cat /etc/machine-id; cat /etc/ssh/*.pub; ip -o addr | awk "{print \\$4}"';
      const first = await ssh(address, look);
      await onIncus('restart', `srv-${server.uuid}`);
      await untilSsh(address);
      assert.equal(await ssh(address, look), first);
      await remove(server.id);
    });
  });
}

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Operation } from '@berth/contract/operations';
import type { Server } from '@berth/contract/servers';
import { imageAlias } from '../service/src/images/images.ts';
import { until } from '../service/src/testing/until.ts';
import {
  call,
  create,
  directory,
  incusProject,
  incusSocket,
  operations,
  password,
  primaryAddress,
  remove,
  status,
  untilIdle,
  view,
  type Wish,
} from './api.ts';
import { isNowhere } from './canaries.ts';
import { dumpDatabase } from './database.ts';
import { incus } from './incus.ts';
import { run } from './processes.ts';
import { ssh, sshWithKey, untilSsh } from './ssh.ts';

// Tests user data in real guests. No guest needs a network for it: packages come from a repository on its disk.

const onIncus = (...args: string[]) =>
  incus({ socketPath: incusSocket(), names: { project: incusProject() } }, args);

/** Creates a server with user data, and returns it with how that ended. */
async function createdWith(user_data: string, wish: Wish = {}) {
  const { id } = await create({ ...wish, user_data });
  const seen = await untilIdle(id);
  const server = await view(id);
  assert.equal(server.status, 'started', JSON.stringify(server));
  const [operation] = await operations(id);
  assert.ok(operation);
  const { message, user_data: report, commands } = operation;
  const results = commands?.map(({ exit_status, output }) => [exit_status, output]);
  return { server, message, report, results, seen: seen.map((one) => one.status) };
}

/** Rebuilds a server, and returns the operation at its end. */
async function rebuiltWith({ id }: Server, more: object): Promise<Operation> {
  const body = { erase: true, password, initialCommands: [], ...more };
  const answer = await call<{ operation_id: number }>('POST', `/v1/servers/${id}/rebuild`, body);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  await untilIdle(id);
  const { operation_id } = answer.body;
  const ended = await call<Operation>('GET', `/v1/operations/${operation_id}`);
  assert.equal(ended.body.status, 'succeeded', ended.body.message);
  return ended.body;
}

const on = async (server: Server, command: string) => await ssh(primaryAddress(server), command);
const fine = { status: 'done', errors: [] };

/** Makes a repository of one package, which is the only one that apt knows. */
const repository = `
    set -e
    test ! -e /opt/repository || exit 0
    mkdir -p /opt/repository/tree/DEBIAN /opt/repository/tree/opt/berth-hello
    cd /opt/repository
    echo hello > tree/opt/berth-hello/greeting
    printf 'Package: berth-hello\\nVersion: 1.0\\nArchitecture: all\\nMaintainer: A <a@example.org>\\nDescription: A test\\n' \\
      > tree/DEBIAN/control
    dpkg-deb --build tree berth-hello.deb
    cat tree/DEBIAN/control > Packages
    printf 'Filename: ./berth-hello.deb\\nSize: %s\\nSHA256: %s\\n' \\
      "$(stat -c %s berth-hello.deb)" "$(sha256sum berth-hello.deb | cut -d' ' -f1)" >> Packages
    echo 'deb [trusted=yes] file:/opt/repository ./' > /etc/apt/sources.list`;

const whole = `#cloud-config
bootcmd:
  - |${repository}
packages:
  - berth-hello
write_files:
  - path: /etc/berth-test/nested/file
    permissions: '0640'
    content: |
      line 1
      grüße, 世界
users:
  - name: ada
    shell: /bin/bash
    groups: adm
timezone: Europe/Vienna
runcmd:
  - cat /opt/berth-hello/greeting > /root/order
`;

const ways = [
  { way: 'in an image that Berth built', fromFiles: true, prepare: async () => undefined },
  {
    way: 'in an image that is set up by cloud-init',
    fromFiles: false,
    prepare: () => onIncus('image', 'unset-property', imageAlias('debian-12'), 'berth.first-start'),
  },
];

for (const { way, fromFiles, prepare } of ways) {
  describe(`user data ${way}`, { concurrency: 2 }, () => {
    before(prepare);
    after(() =>
      onIncus('image', 'set-property', imageAlias('debian-12'), 'berth.first-start', '1'),
    );

    it('installs packages, writes files and adds users, before the initial commands', async () => {
      const initialCommands = ['echo command >> /root/order; cat /root/order'];
      const { server, report, message, results, seen } = await createdWith(whole, {
        ...{ name: 'data.example.org', initialCommands },
      });
      assert.deepEqual([report, message], [fine, 'The server was created.']);
      assert.deepEqual(results, [[0, 'hello\ncommand\n']]);
      assert.ok(seen.includes('Creating the server: carrying out its user data'), seen.join('\n'));
      assert.equal(await on(server, 'cat /etc/berth-test/nested/file'), 'line 1\ngrüße, 世界');
      assert.equal(await on(server, 'stat -c "%a %U" /etc/berth-test/nested/file'), '640 root');
      assert.equal(
        await on(server, 'id -Gn ada; getent passwd ada | cut -d: -f7'),
        'ada adm\n/bin/bash',
      );
      assert.equal(
        await on(server, 'readlink /etc/localtime'),
        '/usr/share/zoneinfo/Europe/Vienna',
      );
      // The rest is as without user data.
      assert.equal(await on(server, 'hostname; hostname -f'), 'data\ndata.example.org');
      assert.equal(await on(server, 'ls /etc/ssh/ssh_host_*_key | wc -l'), '2');
      assert.equal(await on(server, 'cloud-init status'), 'status: done');
      assert.equal(await on(server, 'systemctl is-system-running --wait'), 'running');
      const ours = '/var/lib/berth /etc/systemd/system/multi-user.target.d';
      assert.equal(await on(server, `ls -d ${ours} 2>/dev/null || echo gone`), 'gone');
      // It is carried out once.
      await onIncus('restart', `srv-${server.uuid}`);
      await untilSsh(primaryAddress(server));
      assert.equal(await on(server, 'systemctl is-system-running --wait'), 'running');
      assert.equal(await on(server, 'cat /root/order'), 'hello\ncommand');
      await remove(server.id);
    });

    it('is carried out once, and leaves the server a new name', async () => {
      const user_data =
        '#cloud-config\nmanage_etc_hosts: true\nruncmd:\n  - echo data >> /root/order\n';
      const { server } = await createdWith(user_data, { name: 'before.example.org' });
      const machine = await on(server, 'cat /etc/machine-id');
      const wanted = { name: 'after.example.net' };
      const renamed = await call('PATCH', `/v1/servers/${server.id}`, wanted);
      assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
      await untilIdle(server.id);
      const names = 'after\nafter.example.net';
      assert.equal(await on(server, 'hostname; hostname -f'), names);
      await call('POST', `/v1/servers/${server.id}/restart`, undefined, { prefer: 'wait=60' });
      await untilIdle(server.id);
      await untilSsh(primaryAddress(server));
      assert.equal(await on(server, 'systemctl is-system-running --wait'), 'running');
      assert.equal(await on(server, 'hostname; hostname -f'), names);
      assert.equal(await on(server, 'cat /etc/machine-id /root/order'), `${machine}\ndata`);
      await remove(server.id);
    });

    it('may be a script, as it is, in a multi-part message, or as gzip in base64', async () => {
      const script = '#!/bin/sh\necho "$0 as $(whoami)" > /root/ran\n';
      const message = `Content-Type: multipart/mixed; boundary="edge"
MIME-Version: 1.0

--edge
Content-Type: text/x-shellscript
MIME-Version: 1.0

${script}
--edge
Content-Type: text/cloud-config
MIME-Version: 1.0

write_files:
  - path: /root/part
    content: of a message

--edge--
`;
      const packed = gzipSync(message).toString('base64').replaceAll(/.{76}/g, '$&\n');
      const made = await Promise.all([
        createdWith(script),
        createdWith(message),
        createdWith(packed),
      ]);
      for (const [index, { server, report }] of made.entries()) {
        assert.deepEqual(report, fine);
        assert.match(await on(server, 'cat /root/ran'), /\/scripts\/part-001 as root$/);
        if (index > 0) assert.equal(await on(server, 'cat /root/part'), 'of a message');
      }
      await Promise.all(made.map(({ server }) => remove(server.id)));
    });

    it('may restart the server, at its end and in the middle', async () => {
      const initialCommands = ['cat /root/order /proc/sys/kernel/random/boot_id'];
      const note = 'cat /proc/sys/kernel/random/boot_id > /root/order';
      const atEnd = `#cloud-config\nruncmd:\n  - ${note}\npower_state:\n  mode: reboot\n`;
      const within = `#!/bin/sh\n${note}\nreboot\n`;
      const off = `#cloud-config\nruncmd:\n  - ${note}\npower_state:\n  mode: poweroff\n`;
      const made = await Promise.all(
        [atEnd, within, off].map((one) => createdWith(one, { initialCommands })),
      );
      for (const { server, report, results } of made) {
        assert.deepEqual(report, fine);
        const [status = -1, output = ''] = results?.[0] ?? [];
        assert.equal(status, 0);
        const boots = String(output).trim().split('\n');
        assert.equal(boots.length, 2);
        assert.notEqual(boots[0], boots[1], 'the command ran after the restart');
        await remove(server.id);
      }
    });

    it('that fails or is broken is reported, and the server is created all the same', async () => {
      const secret = 'canary-c41fe0';
      const initialCommands = ['echo ran'];
      const cases = {
        script: `#!/bin/sh\n: ${secret}\nexit 3\n`,
        package: '#cloud-config\npackages: [no-such-package-of-berth]\n',
        yaml: `#cloud-config\nruncmd: [${secret}\n`,
        schema: `#cloud-config\nusers:\n  - name: ada\n    lock_passwd: ${secret}\nruncmd: ${secret}\n`,
        stages:
          '#cloud-config\ncloud_init_modules: []\ncloud_config_modules: []\ncloud_final_modules: []\n',
      };
      const names = Object.keys(cases) as (keyof typeof cases)[];
      const ended = await Promise.all(
        names.map(async (name) => {
          const made = await createdWith(cases[name], { name, initialCommands });
          return [name, made] as const;
        }),
      );
      const made = Object.fromEntries(ended) as Record<keyof typeof cases, (typeof ended)[0][1]>;
      const told = (name: keyof typeof cases) => JSON.stringify(made[name].report);
      for (const [name, { server, results }] of Object.entries(made)) {
        assert.deepEqual(results, [[0, 'ran\n']]);
        // Its host keys would come from cloud-init, which has been told not to do anything.
        if (name === 'stages' && !fromFiles) continue;
        assert.equal(await on(server, 'whoami'), 'root');
      }
      for (const name of ['script', 'package'] as const) {
        assert.equal(made[name].report?.status, 'error', told(name));
        assert.match(
          made[name].message,
          /but cloud-init reports errors in its user data; see user_data/,
        );
        const { status: shown } = await status(made[name].server.id);
        assert.match(
          shown,
          /cloud-init reports errors in its user data\. GET \/v1\/operations\/\d+ /,
        );
      }
      assert.match(told('script'), /scripts[-_]user.*1 failures/);
      assert.match(told('package'), /package/i);
      for (const name of ['yaml', 'schema'] as const) {
        assert.notEqual(made[name].report?.status, 'done', told(name));
      }
      assert.match(told('yaml'), /not valid yaml/i);
      assert.match(told('schema'), /runcmd: '?…'? is not of type 'array'/);
      const dump = await dumpDatabase(directory());
      assert.ok(dump.includes(made.yaml.server.uuid));
      assert.ok(!dump.includes(secret), 'the database does not have it');
      await Promise.all(Object.values(made).map(({ server }) => remove(server.id)));
    });
  });
}

describe('user data', { concurrency: 2 }, () => {
  it('user data is nowhere but in the guest, for root only, also after a rebuild with other data', async () => {
    const [first, second] = ['canary-5d20b7', 'canary-90e1fa'];
    const { server } = await createdWith(`#!/bin/sh\necho ${first}\n`);
    await isNowhere(first, server);
    // This one is broken, so cloud-init quotes it.
    const broken = `#cloud-config\nruncmd: ${second}\nusers: [${second}\n`;
    const packed = gzipSync(broken).toString('base64');
    const { message, user_data: report } = await rebuiltWith(server, { user_data: packed });
    assert.match(message, /^The server was rebuilt, but cloud-init/);
    assert.notEqual(report?.status, 'done');
    for (const canary of [first, second]) await isNowhere(canary, server);
    const readable = (text: string) =>
      `grep -rslF ${text.slice(0, -1)} / --exclude-dir=proc --exclude-dir=sys`;
    const asNobody = `su -s /bin/sh nobody -c '${readable(second)}' || true`;
    assert.equal(await on(server, asNobody), '');
    assert.equal(await on(server, `${readable(first)} || true`), '', 'the first disk is gone');
    await remove(server.id);
  });

  it('user data of a rebuild sets up the new system', async () => {
    const { id } = await create();
    await untilIdle(id);
    const server = await view(id);
    const user_data =
      '#cloud-config\nwrite_files:\n  - path: /root/order\n    content: "data\\n"\n';
    const initialCommands = ['echo command >> /root/order; cat /root/order'];
    const {
      message,
      user_data: report,
      commands,
    } = await rebuiltWith(server, {
      ...{ user_data, initialCommands },
    });
    assert.deepEqual([message, report], ['The server was rebuilt.', fine]);
    assert.equal(commands?.[0]?.output, 'data\ncommand\n');
    const without = await rebuiltWith(server, {});
    assert.deepEqual([without.message, without.user_data], ['The server was rebuilt.', null]);
    assert.equal(await on(server, 'ls /root; cloud-init status'), 'status: disabled');
    await remove(id);
  });

  it('user data adds SSH keys to those of the request, whose login decides', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-e2e-key-'));
    const paths = ['one', 'two'].map((name) => join(folder, name));
    const [one, two] = paths.map((path) => {
      run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
      return readFileSync(`${path}.pub`, 'utf8').trim();
    });
    const body = { name: 'of the request', public_key: one };
    const key = await call<{ id: number }>('POST', '/v1/ssh-keys', body);
    assert.equal(key.status, 201, JSON.stringify(key.body));
    const userData = `#cloud-config\nssh_pwauth: true\nssh_authorized_keys:\n  - ${two}\nchpasswd:\n  expire: false\n  list: |\n    root:Another-Password-9\n`;
    const byKey = { ssh_keys: ['of the request'], password_login: false };
    const [keys, password] = await Promise.all([
      createdWith(userData, byKey),
      createdWith(userData, { ssh_keys: ['of the request'] }),
    ]);
    for (const { server } of [keys, password]) {
      for (const path of paths) {
        assert.equal(sshWithKey(primaryAddress(server), path, 'whoami'), 'root');
      }
    }
    await assert.rejects(on(keys.server, 'true'), /Permission denied/);
    assert.equal(
      await on(password.server, 'whoami'),
      'root',
      'the password is that of the request',
    );
    await Promise.all([keys, password].map(({ server }) => remove(server.id)));
    await call('DELETE', `/v1/ssh-keys/${key.body.id}`);
    rmSync(folder, { recursive: true });
  });

  it('a server whose user data does not end can be used, and deleted', async () => {
    const { id, ...made } = await create({ user_data: '#!/bin/sh\nsleep infinity\n' });
    await until(
      'its user data is carried out',
      () => status(id),
      (now) => now.status === 'Creating the server: carrying out its user data',
      180,
    );
    assert.equal(await ssh(primaryAddress({ ...made, id }), 'whoami'), 'root');
    await remove(id);
  });
});

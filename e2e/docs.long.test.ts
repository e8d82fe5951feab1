import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Server } from '@berth/contract/servers';
import { output } from '../setup/commands.mjs';
import {
  address,
  call,
  incusNetwork,
  incusPool,
  incusProject,
  incusSocket,
  operations,
  primaryAddress,
  remove,
  untilIdle,
} from './api.ts';
import { commandsOf, runBlock } from './page.ts';
import { run } from './processes.ts';
import { ssh } from './ssh.ts';

// Runs the commands of the pages on servers, as they are written, on a real server. SSH keys come first, because the
// others use them to log in.

const directory = mkdtempSync(join(tmpdir(), 'berth-e2e-docs-'));
/** An address for documentation (RFC 5737), which the machine has during the test. */
const publicAddress = '203.0.113.7';
let server: Server;

/** Replaces the names on the pages by those of the Incus of this run. */
function adapted(block: string): string {
  return block
    .replaceAll('--project berth', `--project ${incusProject()}`)
    .replaceAll('berthbr0', incusNetwork())
    .replaceAll(
      '/var/lib/incus/storage-pools/berth',
      join(incusDir(), 'storage-pools', incusPool()),
    )
    .replaceAll('/containers/berth_', `/containers/${incusProject()}_`);
}

const incusDir = () => join(incusSocket(), '..');

async function play(block: string, env: Record<string, string> = {}): Promise<string> {
  const place = { directory, url: `http://${address()}`, token: process.env.BERTH_E2E_TOKEN ?? '' };
  const known = server && { ID: String(server.id), IP: primaryAddress(server) };
  return await runBlock(adapted(block), {
    ...place,
    env: { PATH: `${directory}:${process.env.PATH}`, INCUS_DIR: incusDir(), ...known, ...env },
  });
}

before(() => {
  // ssh finds its directory by the user, not by HOME.
  const script = `#!/bin/sh
test "$1" = -i || set -- -i ${directory}/.ssh/id_ed25519 "$@"
exec /usr/bin/ssh -F none -o UserKnownHostsFile=${directory}/.ssh/known_hosts "$@"
`;
  writeFileSync(join(directory, 'ssh'), script, { mode: 0o755 });
  run('mkdir', ['-m', '700', join(directory, '.ssh')]);
});

after(async () => {
  if (server) await remove(server.id);
  for (const { id } of (await call<{ id: number }[]>('GET', '/v1/ssh-keys')).body) {
    await call('DELETE', `/v1/ssh-keys/${id}`);
  }
  rmSync(directory, { recursive: true, force: true });
});

test('docs/ssh-keys.md: a server with a key and a verified host key, and without passwords', async () => {
  const [make = '', create = '', know = '', add = '', ...more] = commandsOf('ssh-keys.md');
  assert.equal(more.length, 0);
  await play(make);
  const { id }: Server = JSON.parse(await play(create));
  await untilIdle(id);
  server = (await call<Server>('GET', `/v1/servers/${id}`)).body;
  assert.equal(server.status, 'started');
  const [operation] = await operations(id);
  const statuses = operation?.commands?.map(({ exit_status }) => exit_status);
  assert.deepEqual(statuses, [0]);
  await assert.rejects(ssh(primaryAddress(server), 'true'), /Permission denied \(publickey\)/);
  assert.equal((await play(know)).trim(), 'web-1');
  await play(add);
  const keys = (await play('ssh root@$IP cat /root/.ssh/authorized_keys')).trim().split('\n');
  assert.deepEqual(keys, [readFileSync(join(directory, '.ssh/id_ed25519.pub'), 'utf8').trim()]);
});

test('docs/reaching-servers.md: a server is reached from the node, and through a port of the node', async () => {
  const [near = '', forward = '', back = '', ...more] = commandsOf('reaching-servers.md');
  assert.equal(more.length, 0);
  assert.match(await play(near), /^web-1$/m);
  run('ip', ['address', 'add', `${publicAddress}/32`, 'dev', 'lo']);
  try {
    const known = `echo "[${publicAddress}]:2222 $(cut -d' ' -f2- .ssh/known_hosts)" >> .ssh/known_hosts\n`;
    assert.match(await play(known + forward), /^web-1$/m);
    await play(back);
    await assert.rejects(play('ssh -o ConnectTimeout=3 -p 2222 root@203.0.113.7 true'));
  } finally {
    run('ip', ['address', 'del', `${publicAddress}/32`, 'dev', 'lo']);
  }
});

test('docs/disk-backups.md: files, an export and a snapshot are restored', async () => {
  const blocks = commandsOf('disk-backups.md');
  assert.equal(blocks.length, 7);
  const [save = '', bring = '', take = '', extract = '', snapshot = '', restore = '', full = ''] =
    blocks;
  const inServer = async (command: string) => (await play(`ssh root@$IP '${command}'`)).trim();
  await inServer('echo precious > /srv/file');
  await play(save);
  await inServer('rm /srv/file');
  await play(bring);
  assert.equal(await inServer('cat /srv/file'), 'precious');
  await play(take);
  const env = { INSTANCE: `srv-${server.uuid}` };
  await play(extract, env);
  assert.equal(await inServer('cat /root/hostname.restored'), 'web-1');
  await play(snapshot, env);
  await inServer('echo spoilt > /srv/file; sync');
  await play(restore, env);
  await untilReachable();
  assert.equal(await inServer('cat /srv/file'), 'precious');
  await play(full, env);
});

test('docs/user-data.md: a server that sets itself up, and what cloud-init says of it', async () => {
  const [make = '', ask = '', ...more] = commandsOf('user-data.md');
  assert.equal(more.length, 0);
  const { id }: Server = JSON.parse(await play(make));
  await untilIdle(id);
  const [operation] = JSON.parse(await play(ask, { ID: String(id) }));
  assert.deepEqual(operation.user_data, { status: 'done', errors: [] });
  const [whole] = await operations(id);
  assert.match(whole?.commands?.[0]?.output ?? '', / first boot\n$/);
  await remove(id);
});

const programs = ['incus-simplestreams', 'mksquashfs', 'jq'];
const missing = programs.filter((name) => output('sh', ['-c', `command -v ${name}`]) === undefined);
const skip = missing.length > 0 && `not installed: ${missing.join(', ')}`;

test('docs/image-servers.md: an image of Incus is published on a self-hosted server', {
  skip,
}, async () => {
  const publish = commandsOf('image-servers.md').at(-1) ?? '';
  assert.match(await play(publish), /Debian.* 12 .* ours /);
});

/** Waits until the server has been started again. */
async function untilReachable(): Promise<void> {
  const end = Date.now() + 90_000;
  for (;;) {
    try {
      await play('ssh -o BatchMode=yes -o ConnectTimeout=3 root@$IP true');
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

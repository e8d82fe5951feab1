import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PasswordAccepted } from '@berth/contract/servers';
import { hashPassword } from '../service/src/guests/password-hash.ts';
import { createIncusClient } from '../service/src/incus/client.ts';
import { eventually, until } from '../service/src/testing/until.ts';
import {
  call,
  created,
  directory,
  incusProject,
  incusSocket,
  metrics,
  operations,
  password,
  primaryAddress,
  remove,
  untilIdle,
  view,
} from './api.ts';
import { dumpDatabase } from './database.ts';
import { dataDirectory, serviceLog } from './service.ts';
import { ssh } from './ssh.ts';

// Tests that the password of root is set in running and stopped guests, and that it is left nowhere.

const loginSeconds = 180;
const canary = 'Canary-3b81fe-new';

type Body = PasswordAccepted & { code?: string; detail?: string };

async function act(id: number, action: string, body?: object, headers = {}) {
  const path = `/v1/servers/${id}/${action}`;
  const answer = await call<Body>('POST', path, body, { prefer: 'wait=60', ...headers });
  await untilIdle(id);
  return answer;
}

const lastOf = async (id: number) => (await operations(id)).at(-1);

async function withClient<T>(use: (client: ReturnType<typeof createIncusClient>) => Promise<T>) {
  const client = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const pull = (uuid: string, path: string) =>
  withClient(({ files }) => files.pull(`srv-${uuid}`, path, 100_000));

/** The hash of the password of root in the guest. */
async function hashOf(uuid: string): Promise<string> {
  const text = (await pull(uuid, '/etc/shadow'))?.content.toString() ?? '';
  return /^root:([^:]*):/m.exec(text)?.[1] ?? '';
}

async function isPassword(uuid: string, text: string): Promise<boolean> {
  const hash = await hashOf(uuid);
  return hash === (await hashPassword(text, hash.split('$')[2] ?? ''));
}

/** Whether a login with it is accepted. The guest answers. */
async function isAccepted(address: string, secret: string): Promise<boolean> {
  try {
    return (await ssh(address, 'whoami', secret)) === 'root';
  } catch (error) {
    assert.match(String(error), /Permission denied/);
    return false;
  }
}

async function isNowhere(uuid: string, text: string): Promise<void> {
  const dump = await dumpDatabase(directory());
  assert.ok(dump.includes(uuid), 'the dump shows the server');
  const log = readFileSync(serviceLog(directory()), 'utf8');
  const instance = await withClient(({ instances }) => instances.get(`srv-${uuid}`));
  assert.ok(instance);
  const places = { dump, log, metrics: await metrics(), instance: JSON.stringify(instance) };
  const secrets = [text, Buffer.from(text).toString('hex'), await hashOf(uuid)];
  for (const [where, shown] of Object.entries(places)) {
    for (const secret of secrets) assert.ok(!shown.includes(secret), `${where} has ${secret}`);
  }
  const folders = [
    dataDirectory(directory()),
    join(directory(), 'incus', 'logs'),
    join(directory(), 'incus', 'database'),
  ];
  for (const folder of folders) {
    for (const secret of [text, await hashOf(uuid)]) {
      const args = ['-rlF', '--binary-files=text', secret, folder];
      assert.throws(() => execFileSync('grep', args, { encoding: 'utf8' }), {
        status: 1,
        stdout: '',
      });
    }
  }
}

test('a password is valid at once in a running guest, and is left nowhere', async () => {
  const server = await created();
  const { id, uuid } = server;
  const address = primaryAddress(server);
  assert.ok(await isAccepted(address, password));
  const before = await ssh(address, "sed '/^root:/d' /etc/shadow; stat -c '%a %U %G' /etc/shadow");
  const set = await act(id, 'password', { password: canary });
  assert.deepEqual([set.status, set.body.password], [202, undefined], JSON.stringify(set.body));
  assert.equal(set.body.message, 'The password of root was set.');
  assert.deepEqual(
    [await isAccepted(address, canary), await isAccepted(address, password)],
    [true, false],
  );
  const after = await ssh(
    address,
    "sed '/^root:/d' /etc/shadow; stat -c '%a %U %G' /etc/shadow",
    canary,
  );
  assert.equal(after, before);
  await isNowhere(uuid, canary);
  const left = 'grep -rslF Canary-3b81fe /var /etc /run /tmp /root 2>/dev/null || true';
  assert.equal(await ssh(address, left, canary), '');
  await remove(id);
});

test('a generated password is shown once, and is valid', async () => {
  const server = await created();
  const { id, uuid } = server;
  const key = { 'idempotency-key': `generated-${id}` };
  const { body } = await act(id, 'password', undefined, key);
  const { password: generated = '' } = body;
  assert.match(generated, /^[a-z2-9]{24}$/);
  assert.ok(await isAccepted(primaryAddress(server), generated));
  assert.equal((await act(id, 'password', undefined, key)).body.password, generated);
  assert.equal((await operations(id)).filter(({ kind }) => kind === 'set_password').length, 1);
  await isNowhere(uuid, generated);
  await remove(id);
});

test('a password that is set in a stopped server is valid from its next start', async () => {
  const server = await created();
  const { id, uuid } = server;
  const address = primaryAddress(server);
  const owner = "stat -c '%a %U %G' /etc/shadow";
  const before = await ssh(address, `${owner}; sed '/^root:/d' /etc/shadow`);
  assert.equal((await act(id, 'stop')).status, 202);
  const set = await act(id, 'password', { password: canary });
  assert.equal(set.body.message, 'The password of root was set. It is valid from the next start.');
  assert.equal((await view(id)).status, 'stopped');
  await isNowhere(uuid, canary);
  assert.equal((await act(id, 'start')).status, 202);
  await untilAccepted(address);
  assert.equal(await isAccepted(address, password), false);
  assert.equal(await ssh(address, `${owner}; sed '/^root:/d' /etc/shadow`, canary), before);
  // The tools of the guest still work on the file.
  await ssh(address, 'useradd ada && chage -l root', canary);
  await remove(id);
});

/** Waits until a server that was just started accepts the new password. */
async function untilAccepted(address: string): Promise<void> {
  await eventually(() => ssh(address, 'true', canary), loginSeconds);
}

test('a guest without chpasswd has it set on its disk', async () => {
  const server = await created();
  const { id } = server;
  const address = primaryAddress(server);
  await ssh(address, 'rm /usr/sbin/chpasswd');
  const refused = await act(id, 'password', { password: canary });
  assert.deepEqual([refused.status, refused.body.code], [409, 'password_not_set']);
  assert.match(refused.body.detail ?? '', /has no chpasswd.* Stop the server/);
  assert.ok(await isAccepted(address, password), 'the previous one is still valid');
  assert.equal((await act(id, 'stop')).status, 202);
  assert.equal((await act(id, 'password', { password: canary })).status, 202);
  assert.equal((await act(id, 'start')).status, 202);
  await untilAccepted(address);
  await remove(id);
});

test('traps in the disk of a stopped guest block nothing', async () => {
  const server = await created({
    initialCommands: ['rm -f /etc/shadow-; mkfifo /etc/shadow-; sync'],
  });
  const { id, uuid } = server;
  assert.equal((await act(id, 'stop')).status, 202);
  assert.equal((await act(id, 'password', { password: canary })).status, 202);
  assert.ok(await isPassword(uuid, canary));
  await withClient(async ({ files }) => {
    const name = `srv-${uuid}`;
    await files.delete(name, '/etc/shadow');
    const folder = { uid: 0, gid: 0, mode: 0o700, type: 'directory' } as const;
    await files.push(name, '/etc/shadow', folder);
  });
  const refused = await act(id, 'password', { password: canary });
  assert.deepEqual([refused.status, refused.body.code], [409, 'password_not_set']);
  await remove(id);
});

test('a program that hangs in place of chpasswd is killed, and the server can be deleted meanwhile', async () => {
  const server = await created({
    initialCommands: [
      "printf '#!/bin/sh\\nexec sleep 600\\n' > /usr/sbin/chpasswd; chmod 755 /usr/sbin/chpasswd",
    ],
  });
  const { id, uuid } = server;
  const refused = await act(id, 'password', { password: canary });
  assert.deepEqual([refused.status, refused.body.code], [409, 'password_unconfirmed']);
  assert.match(refused.body.detail ?? '', /chpasswd did not end in its guest\. Stop the server/);
  const asked = await call<Body>('POST', `/v1/servers/${id}/password`, { password: canary });
  assert.equal(asked.status, 202);
  await withClient(async ({ operations: inIncus }) => {
    await until('it is run', async () =>
      (await inIncus.list()).some(({ description }) => description === 'Executing command'),
    );
  });
  await remove(id);
  assert.equal(await pull(uuid, '/etc/shadow'), null);
});

test('a server that refuses passwords over SSH says so, and is not reached by it', async () => {
  const folder = directory();
  const path = join(folder, 'password-key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
  const public_key = readFileSync(`${path}.pub`, 'utf8');
  const key = await call<{ id: number }>('POST', '/v1/ssh-keys', {
    name: 'for-password',
    public_key,
  });
  const server = await created({ ssh_keys: ['for-password'], password_login: false });
  const { id, uuid } = server;
  const { body } = await act(id, 'password', { password: canary });
  assert.match(body.message, /refuse passwords over SSH/);
  assert.ok(await isPassword(uuid, canary));
  await assert.rejects(ssh(primaryAddress(server), 'true', canary), /Permission denied/);
  await remove(id);
  await call('DELETE', `/v1/ssh-keys/${key.body.id}`);
});

test('a paused server refuses it, and a suspended one too', async () => {
  const { id } = await created();
  assert.equal((await act(id, 'pause')).status, 202);
  assert.equal((await act(id, 'password')).body.code, 'password_not_settable');
  assert.equal((await act(id, 'suspend', { reason: 'Unpaid.' })).status, 202);
  assert.equal((await act(id, 'password')).body.code, 'suspended');
  assert.equal((await lastOf(id))?.kind, 'suspend');
  await remove(id);
});

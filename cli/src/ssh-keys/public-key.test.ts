import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { json, serve } from '../../../client/testing/server.ts';
import { createHome, enter } from '../../testing/terminal.ts';

const { berth, inTerminal, home } = createHome();
const made = { id: 1, name: 'laptop', fingerprint: 'SHA256:x' };
const { url, requests } = await serve([json(made)]);
const env = { BERTH_URL: url, BERTH_TOKEN: 'berth_x' };
const create = ['ssh-key', 'create', 'laptop'];
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA ada@desk';

const lastKey = () =>
  (JSON.parse(requests.at(-1)?.body ?? '') as { public_key: string }).public_key;

test('a key is an argument, or comes from standard input', async () => {
  const given = await berth([...create, '--public-key', key], { env });
  assert.deepEqual([given.status, lastKey()], [0, key], given.stderr);
  const piped = await berth([...create, '--file', '-'], { env, input: `${key}\n` });
  assert.deepEqual([piped.status, lastKey()], [0, key], piped.stderr);
  const both = await berth([...create, '--file', '-', '--public-key', key], { env });
  assert.equal(both.status, 2);
});

test('a terminal offers the public keys of this machine', async () => {
  const without = inTerminal(create, { env });
  const { status, stdout } = await without.ended();
  assert.equal(status, 2);
  assert.match(stdout, /There is no public key in .*ssh-keygen -t ed25519/s);
  const folder = join(home, '.ssh');
  mkdirSync(folder);
  writeFileSync(join(folder, 'id_ed25519'), 'secret');
  writeFileSync(join(folder, 'id_ed25519.pub'), `${key}\n`);
  writeFileSync(join(folder, 'work.pub'), `${key}-at-work\n`);
  const choosing = inTerminal(create, { env });
  await choosing.sees('id_ed25519.pub  ssh-ed25519 ada@desk');
  await choosing.sees('work.pub');
  choosing.type(enter);
  assert.equal((await choosing.ended()).status, 0, choosing.shown());
  assert.equal(lastKey(), key);
  const script = await berth(create, { env });
  assert.equal(script.status, 2);
  assert.match(script.stderr, /^Error: The public key is missing\.\nAdd --file /);
});

test('a private key is refused before anything is sent, and not repeated', async () => {
  const before = requests.length;
  const secret = 'b3BlbnNzaC1rZXktdjEAAAAA';
  const file = join(home, 'private');
  for (const text of [
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${secret}\n-----END OPENSSH PRIVATE KEY-----\n`,
    `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n`,
    `PuTTY-User-Key-File-3: ssh-ed25519\n${secret}\n`,
  ]) {
    writeFileSync(file, text);
    for (const args of [
      ['--file', file],
      ['--public-key', text],
    ]) {
      const { status, stderr } = await berth([...create, ...args], { env });
      assert.equal(status, 2);
      assert.match(stderr, /private key, and nothing was sent.*\.pub/s);
      assert.ok(!stderr.includes(secret));
    }
  }
  assert.equal(requests.length, before);
});

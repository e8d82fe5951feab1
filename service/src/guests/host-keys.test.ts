import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type HostKey, newHostKeys } from './host-keys.ts';

const comment = 'root@web-1';

/** The public key of a private one, according to OpenSSH. */
function publicKeyOf({ privateKey }: HostKey): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-host-keys-'));
  try {
    const path = join(folder, 'key');
    writeFileSync(path, privateKey, { mode: 0o600 });
    return execFileSync('ssh-keygen', ['-y', '-f', path], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('OpenSSH can read the keys, and derives the same public keys', () => {
  // Numbers with a leading zero byte (one in 256), or a leading one bit (one in two), are encoded differently.
  for (let round = 0; round < 8; round += 1) {
    for (const key of newHostKeys(comment)) assert.equal(publicKeyOf(key), key.publicKey);
  }
});

test('there is one of each type, named as OpenSSH names it', () => {
  const names = newHostKeys(comment).map(({ type, publicKey }) => [type, publicKey.split(' ')[0]]);
  assert.deepEqual(names, [
    ['ed25519', 'ssh-ed25519'],
    ['ecdsa', 'ecdsa-sha2-nistp256'],
  ]);
});

test('no two servers have the same', () => {
  const made = Array.from({ length: 20 }, () => newHostKeys(comment)).flat();
  assert.equal(new Set(made.map(({ publicKey }) => publicKey)).size, 40);
  assert.equal(new Set(made.map(({ privateKey }) => privateKey)).size, 40);
});

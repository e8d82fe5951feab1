import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Server } from '@berth/contract/servers';
import { primaryAddress } from '../api.ts';
import { sshSend } from '../ssh.ts';

const script = readFileSync(new URL('subvolumes.pl', import.meta.url));
const attempts = 20;
/** The error number of a denied call (`instances/confinement.ts`). */
const refused = '25';

/**
 * Tries as root in a guest to create subvolumes and snapshots in all ways. Returns how each system call was made, its
 * name, and its result: `made`, or the number of the error.
 */
export async function createSubvolumes(
  server: Server,
): Promise<[how: string, call: string, result: string][]> {
  const printed = await sshSend(primaryAddress(server), 'perl -', script);
  const lines = printed.trim().split('\n');
  return lines.map((line) => {
    const [how = '', call = '', ...result] = line.split(' ');
    return [how, call, result.join(' ')];
  });
}

/** Asserts that root in a guest can create neither a subvolume nor a snapshot. */
export async function assertNoSubvolumes(server: Server): Promise<void> {
  const results = await createSubvolumes(server);
  assert.equal(results.length, attempts);
  for (const [how, call, result] of results) {
    // Some kernels run no 32-bit programs.
    if (how === '32-bit' && result.startsWith('does not run')) continue;
    assert.equal(result, refused, `${call} as ${how}`);
  }
}

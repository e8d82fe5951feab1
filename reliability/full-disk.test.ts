import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmdirSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';

const trial = fileURLToPath(new URL('full-disk.ts', import.meta.url));
const megabytes = 256;
const timeout = 900_000;

/** The mount is in a separate namespace, and is removed when the last process in it ends. */
const script = 'mount -t tmpfs -o size="$1"m tmpfs "$2" && TMPDIR="$2" exec "$3" "$4"';

it('changes are refused while the disk is full, and no accepted one is lost', {
  timeout,
}, (t) => {
  const place = temporaryDirectory('full');
  try {
    const args = [String(megabytes), place, process.execPath, trial];
    const ran = spawnSync('unshare', ['--mount', 'sh', '-c', script, 'sh', ...args], {
      encoding: 'utf8',
      timeout: timeout - 30_000,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    });
    for (const line of ran.stdout.trim().split('\n')) t.diagnostic(line);
    assert.equal(ran.status, 0, ran.stderr);
  } finally {
    rmdirSync(place);
  }
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { output } from '../../setup/commands.mjs';
import { makeRelease } from '../../setup/release.mjs';

const skip =
  !existsSync(fileURLToPath(new URL('../../.git', import.meta.url))) &&
  'a release is made in a clone';
const directory = mkdtempSync(join(tmpdir(), 'berth-released-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Starts an unpacked release in its folder, as a new user does. Returns the address of its API. */
async function start(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn('npm', ['run', 'start:simulated'], {
    cwd: folder,
    detached: true,
    env: { ...process.env, BERTH_PORT: '0', BERTH_DATA_DIR: join(folder, 'data-simulated') },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const ended = once(child, 'exit');
  const stop = async () => {
    if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
    await ended;
  };
  while (!/Berth listens on (\S+)/.test(said)) {
    if (child.exitCode !== null) throw new Error(`It ended before it listened:\n${said}`);
    await sleep(100);
  }
  return { url: /Berth listens on (\S+)/.exec(said)?.[1] ?? '', stop };
}

test('a release is installed and started without a clone, and reports its version', {
  skip,
}, async () => {
  const { version, commit, files } = makeRelease({ directory, isDraft: true });
  assert.notEqual(output('tar', ['-xzf', files[0] ?? '', '-C', directory]), undefined);
  const folder = join(directory, `berth-${version}`);
  assert.equal(existsSync(join(folder, '.git')), false);
  const { url, stop } = await start(folder);
  try {
    const token = readFileSync(join(folder, 'data-simulated/admin-token'), 'utf8').trim();
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/v1/version`, { headers });
    const { schema, ...told } = (await answer.json()) as Record<string, string>;
    assert.deepEqual(told, { version, commit });
    assert.match(schema ?? '', /^\d{4}-/);
  } finally {
    await stop();
  }
});

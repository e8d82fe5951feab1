import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

// What .ci/run does with parts that run side by side, on commands in their place.

const lanes = fileURLToPath(new URL('../.ci/lanes', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'lanes-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const file = (name) => join(directory, name);

const script = (commands) => {
  const words = Object.entries(commands).flat();
  const args = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return ['-c', `set -euo pipefail; source '${lanes}'; run_lanes ${args}; echo done`];
};
const run = (commands) => {
  // Where its logs are is seen to be left empty.
  const env = { ...process.env, TMPDIR: mkdtempSync(file('logs-')) };
  const { status, stdout } = spawnSync('bash', script(commands), { encoding: 'utf8', env });
  return { status, stdout };
};

/** Works until it is told to end, and then cleans up, which takes a moment, also in its child. */
const working = (name) => `
  bash -c 'trap "sleep 1; echo child >> ${file(name)}; exit" TERM; echo > ${file(`${name}-on`)}; sleep 60 & wait' &
  trap 'sleep 0.5; echo clean; exit 143' TERM
  wait`;

test('lanes run side by side, each prints whole, and their ends and times are told', () => {
  const [one, other] = [file('one'), file('other')];
  const meet = (own, awaited) =>
    `echo first; touch ${own}; until [[ -e ${awaited} ]]; do sleep 0.05; done; echo last >&2`;
  const { status, stdout } = run({ a: meet(one, other), b: meet(other, one) });
  assert.equal(status, 0, stdout);
  for (const name of ['a', 'b']) {
    assert.match(stdout, new RegExp(`first\nlast\n== ${name}: ended with 0 after \\d+ s\n`));
  }
  assert.match(stdout, /done\n$/);
});

test('one that fails ends the others once they have cleaned up, with all that they had begun', () => {
  const started = file('cut-on');
  const failing = `until [[ -e ${started} ]]; do sleep 0.05; done; echo broken; exit 7`;
  const { status, stdout } = run({ 'it fails': failing, 'it works': working('cut') });
  assert.equal(status, 1, stdout);
  assert.match(stdout, /broken\n== it fails: ended with 7 after \d+ s\n/);
  assert.match(stdout, /clean\n== it works: ended with \d+ after \d+ s\n$/);
  assert.ok(existsSync(file('cut')), 'its child has cleaned up, too');
});

test('lanes are ended when who runs them is', async () => {
  const child = spawn('bash', script({ a: working('told'), b: working('told-too') }), {
    stdio: 'ignore',
  });
  for (const name of ['told-on', 'told-too-on']) while (!existsSync(file(name))) await sleep(20);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 130);
  assert.ok(existsSync(file('told')) && existsSync(file('told-too')));
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hashGuestPassword, weaknessOfPassword } from './threads.ts';

test('what a thread makes is what is made here', async () => {
  const hash = await hashGuestPassword('correct horse', 'a test');
  const perl = `print crypt('correct horse', '${hash.slice(0, 20)}')`;
  assert.equal(execFileSync('perl', ['-e', perl]).toString(), hash);
  const about = ['ada@example.com', 'Ada'];
  assert.match(
    (await weaknessOfPassword({ password: 'Ada1815', about }, 'a test')) ?? '',
    /too easy/,
  );
  const strong = { password: 'copper-lantern-Tuesday-otter', about };
  assert.equal(await weaknessOfPassword(strong, 'a test'), undefined);
});

const about = ['a b '.repeat(63), 'Ada'.repeat(33)];
for (const [what, work] of [
  ['a password that is slow to guess', weaknessOfPassword],
  ['a long password of a guest', ({ password }) => hashGuestPassword(password, 'a test')],
] as [string, typeof weaknessOfPassword][]) {
  test(`${what} does not hold the loop`, async () => {
    const passwords = ['p4$$w0rd'.repeat(16), '19901231'.repeat(16), '4@8({[<3'.repeat(16)];
    await work({ password: 'the first one loads', about }, 'a test');
    const before = performance.eventLoopUtilization();
    for (const password of passwords) await work({ password, about }, 'a test');
    const { utilization } = performance.eventLoopUtilization(before);
    // Here it would be all of the time.
    assert.ok(utilization < 0.5, `busy for ${Math.round(utilization * 100)} % of it`);
  });
}

test('threads with nothing to do keep no process alive', () => {
  const url = new URL('./threads.ts', import.meta.url).href;
  const script = `const { hashGuestPassword } = await import('${url}'); await hashGuestPassword('x', 'a test');`;
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const begin = performance.now();
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, timeout: 50_000 });
  assert.ok(performance.now() - begin < 50_000);
});

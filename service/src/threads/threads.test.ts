import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../testing/until.ts';
import { hashGuestPassword, weaknessOfPassword } from './threads.ts';

test('a thread has the same result as this process', async () => {
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
  // The password is longer than any that is accepted, so that a hash takes some 20 ms on a fast machine.
  [
    'a long password of a guest',
    ({ password }) => hashGuestPassword(password.repeat(16), 'a test'),
  ],
] as [string, typeof weaknessOfPassword][]) {
  test(`${what} does not block the event loop`, async () => {
    const passwords = ['p4$$w0rd'.repeat(16), '19901231'.repeat(16), '4@8({[<3'.repeat(16)];
    await work({ password: 'the first one loads', about }, 'a test');
    const look = async () => {
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 1);
      for (const password of passwords) await work({ password, about }, 'a test');
      clearInterval(timer);
      return turns;
    };
    // In this thread, each would leave the event loop only one or two iterations.
    await until('the event loop runs meanwhile', look, (turns) => turns >= 20);
  });
}

test('idle threads do not keep the process alive', () => {
  const url = new URL('./threads.ts', import.meta.url).href;
  const script = `const { hashGuestPassword } = await import('${url}'); await hashGuestPassword('x', 'a test');`;
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  // An idle thread ends by itself after 60 s. The call throws at its timeout.
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, timeout: 50_000 });
});

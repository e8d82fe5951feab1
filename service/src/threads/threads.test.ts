import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../testing/until.ts';
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
    const look = async () => {
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 1);
      for (const password of passwords) await work({ password, about }, 'a test');
      clearInterval(timer);
      return turns;
    };
    // Done here, each would leave the loop a turn or two.
    await until('the loop turns meanwhile', look, (turns) => turns >= 20);
  });
}

test('threads with nothing to do keep no process alive', () => {
  const url = new URL('./threads.ts', import.meta.url).href;
  const script = `const { hashGuestPassword } = await import('${url}'); await hashGuestPassword('x', 'a test');`;
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  // Such a thread ends by itself after 60 s. It throws when the time is over.
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, timeout: 50_000 });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProgress } from './report.ts';

const guestSays = (text: string) => readProgress(async () => Buffer.from(text), 2);

test('a guest without a progress file is booting', async () => {
  const { phase, finished } = await readProgress(async () => null, 2);
  assert.deepEqual([phase, finished], ['booting', 0]);
});

test('one file has the phase and the results so far', async () => {
  assert.deepEqual(await guestSays('running 2 ok\n0 3 1340\na\nb'), {
    phase: 'running',
    finished: 1,
    results: [{ exit_status: 0, output: 'a\nb', duration_ms: 1340 }],
    sshReady: true,
  });
});

test('a result has its duration if the guest knows it, and no impossible one', async () => {
  for (const [header, duration] of [
    ['0 1 20', 20],
    ['0 1', null],
    ['0 1 -5', null],
    ['0 1 1e400', null],
    ['0 1 soon', null],
  ] as const) {
    const { results } = await guestSays(`done 1 ok\n${header}\nx`);
    assert.deepEqual(results, [{ exit_status: 0, output: 'x', duration_ms: duration }], header);
  }
});

test('a guest can forge neither more results than there are commands nor endless ones', async () => {
  const forged = `done 2 missing\n0 9000\n${'x'.repeat(9000)}0 0\n0 0\n0 0\n`;
  const { results, sshReady } = await guestSays(forged);
  assert.equal(results.length, 2);
  assert.equal(results[0]?.output.length, 4096);
  assert.equal(sshReady, false);
});

test('a truncated or invalid result ends the reading', async () => {
  assert.equal((await guestSays('done 2 ok\nnonsense\n')).results.length, 0);
});

test('a file that Berth’s script did not write is an error', async () => {
  await assert.rejects(guestSays('hello'), /not what Berth writes there/);
});

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
    awaitsUserData: false,
    userData: null,
  });
});

test('a guest that waits for cloud-init is at no command', async () => {
  const { phase, finished, awaitsUserData } = await guestSays('running 0 ok\n');
  assert.deepEqual([phase, finished, awaitsUserData], ['running', 0, true]);
  assert.equal((await guestSays('running 1 ok\n')).awaitsUserData, false);
});

test('what cloud-init said follows the results, in parts with their lengths', async () => {
  const said = 'user-data-status 2\n{}user-data-schema 0\nuser-data-log 5\na\nü\n';
  const expected = { status: '{}', schema: '', log: 'a\nü\n' };
  for (const [text, results] of [
    [`running 1 ok\n${said}`, 0],
    [`running 2 ok\n0 1\nx${said}`, 1],
    [`done 2 ok\n0 1\nx1 0\n${said}`, 2],
  ] as const) {
    const progress = await guestSays(text);
    assert.deepEqual([progress.userData, progress.results.length], [expected, results]);
  }
});

test('a guest can forge no endless parts', async () => {
  for (const text of ['user-data-status 9e99\n{}', 'user-data-status\n', 'x 1\n', '\n\n\n']) {
    assert.equal((await guestSays(`done 0 ok\n${text}`)).userData, null, text);
  }
  const cut = await guestSays('done 0 ok\nuser-data-status 2\n{}user-data-log 99\nlog');
  assert.deepEqual(cut.userData, { status: '{}', schema: '', log: 'log' });
});

test('parts that are longer than the script makes them are cut', async () => {
  const part = (name: string) => `user-data-${name} ${2 ** 16}\n${'ü'.repeat(2 ** 15)}`;
  const { userData } = await guestSays(
    `done 0 ok\n${part('status')}${part('schema')}${part('log')}`,
  );
  const { status = '', schema = '', log = '' } = userData ?? {};
  assert.deepEqual([status.length, schema.length, log.length], [2 ** 14, 2 ** 12, 2 ** 12]);
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

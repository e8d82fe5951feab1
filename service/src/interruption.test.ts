import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRequest } from './testing/open-request.ts';
import { dataDirectory, startInTerminal } from './testing/terminal.ts';
import { until } from './testing/until.ts';

// Tests how a service ends that `npm start` runs in a real terminal. interruption.long.test.ts repeats this many times.

/** Longer than the time within which two signals count as one. */
const laterMs = 2500;
const { path, processes, remove } = dataDirectory();
after(remove);

/** A service with a request in progress, which it can't answer yet. */
async function busy() {
  const terminal = await startInTerminal(path, processes);
  const token = readFileSync(join(path, 'admin-token'), 'utf8').trim();
  const body = { name: 'open', scopes: ['servers:read'] };
  return { ...terminal, request: await openRequest(terminal.url, token, '/v1/tokens', body) };
}

test('Ctrl-C finishes open requests, and leaves no process', async () => {
  const { ctrlC, ended, output, request } = await busy();
  ctrlC();
  await until('it says that it stops', () => output().includes('Stopping:'));
  assert.match(await request.finish(), /^HTTP\/1\.1 201 /, output());
  assert.equal(await ended, 0, output());
  assert.match(output(), /Stopped\./);
  assert.doesNotMatch(output(), /Stopping at once|not foreseen/);
  await until('no process is left', () => processes().length === 0);
});

test('a signal at the last moment does not change the exit status', async () => {
  const { ctrlC, ended, output, request, signalToTheEnd } = await busy();
  ctrlC();
  await request.finish();
  await until('it has stopped', () => output().includes('Stopped.'));
  await signalToTheEnd('SIGINT');
  assert.equal(await ended, 0, output());
});

test('a later second Ctrl-C says what it skips, and still ends PostgreSQL', async () => {
  const { ctrlC, ended, output, request } = await busy();
  ctrlC();
  await until('it says that it stops', () => output().includes('Stopping:'));
  await sleep(laterMs);
  ctrlC();
  await request.closed;
  assert.notEqual(await ended, 0);
  assert.match(output(), /Stopping at once: open requests are aborted/);
  await until('no process is left', () => processes().length === 0);
});

test('closing the terminal stops the service in order, too', async () => {
  const { hangUp, request } = await busy();
  hangUp();
  await sleep(laterMs);
  assert.match(await request.finish(), /^HTTP\/1\.1 201 /);
  await until('no process is left', () => processes().length === 0);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRequest } from './testing/open-request.ts';
import { dataDirectory, type InTerminal, startInTerminal } from './testing/terminal.ts';
import { until } from './testing/until.ts';

// Tests how a service ends that `npm start` runs in a real terminal. Some stops are repeated, because the time between
// the signals of npm and of the terminal varies.

const { path, processes, remove } = dataDirectory();
after(remove);

/** Longer than the time within which two signals count as one. */
const laterMs = 2500;

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

/** Sends requests without a pause until the service no longer answers. */
async function keepAsking(url: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  for (;;) {
    try {
      await (await fetch(`${url}/v1/tokens`, { headers })).arrayBuffer();
    } catch {
      // Connections at the moment at which the service stops listening are refused or reset.
      return;
    }
  }
}

/** Repeats this: an open request gets its response, everything is stopped, and nothing is left. */
async function stopsInOrder(
  times: number,
  interrupt: (terminal: InTerminal) => void,
  { isWatched = true, status }: { isWatched?: boolean; status?: number } = {},
) {
  for (let time = 1; time <= times; time += 1) {
    const terminal = await startInTerminal(path, processes);
    const { ended, output, url } = terminal;
    const token = readFileSync(join(path, 'admin-token'), 'utf8').trim();
    const asking = Array.from({ length: 4 }, () => keepAsking(url, token));
    const body = { name: `open ${time}`, scopes: ['servers:read'] };
    const request = await openRequest(url, token, '/v1/tokens', body);
    interrupt(terminal);
    if (isWatched) await until('it says that it stops', () => output().includes('Stopping:'));
    // Nobody may be left to whom it could say so. It accepts no connections then.
    else await Promise.all(asking);
    assert.match(await request.finish(), /^HTTP\/1\.1 201 /, output());
    const endedWith = await ended;
    if (status !== undefined) assert.equal(endedWith, status, output());
    await Promise.all(asking);
    if (isWatched) assert.match(output(), /Stopped\./);
    assert.doesNotMatch(output(), /Stopping at once|not foreseen/);
    await until('no process is left', () => processes().length === 0);
  }
}

test('each of 20 Ctrl-C during requests stops everything in order', async () => {
  await stopsInOrder(20, ({ ctrlC }) => ctrlC());
});

test('each of 5 SIGTERM to the process group, which includes npm, stops everything in order', async () => {
  await stopsInOrder(5, ({ signalGroup }) => signalGroup('SIGTERM'));
});

test('each of 5 SIGTERM to the service alone, as from systemd and Docker, stops everything in order', async () => {
  // With any other status, systemd would start it again (`Restart=on-failure`).
  await stopsInOrder(5, ({ signalService }) => signalService('SIGTERM'), { status: 0 });
});

test('each of 5 SIGHUP to the process group stops everything in order', async () => {
  // npm ends at once with this signal, and so does the terminal. Therefore the last output of the service may be
  // missing.
  await stopsInOrder(5, ({ signalGroup }) => signalGroup('SIGHUP'), { isWatched: false });
});

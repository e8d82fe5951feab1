import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openRequest } from './testing/open-request.ts';
import { dataDirectory, type InTerminal, startInTerminal } from './testing/terminal.ts';
import { until } from './testing/until.ts';

// Stops a busy service repeatedly, because the time between the signals of npm and of the terminal varies.

const { path, processes, remove } = dataDirectory();
after(remove);

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

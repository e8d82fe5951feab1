import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openRequest } from './testing/open-request.ts';
import { dataDirectory, type InTerminal, startInTerminal } from './testing/terminal.ts';
import { until } from './testing/until.ts';

// The end of a service that is busy, over and over: npm and the terminal send their signals at no fixed distance.

const { path, processes, remove } = dataDirectory();
after(remove);

/** Asks without a pause until the service answers no more. */
async function keepAsking(url: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  for (;;) {
    try {
      await (await fetch(`${url}/v1/tokens`, { headers })).arrayBuffer();
    } catch {
      // What connects just as the service stops listening is refused, or reset.
      return;
    }
  }
}

/** Several times: in each an open request is answered, all is stopped, and nothing is left. */
async function stopsInOrder(
  times: number,
  interrupt: (terminal: InTerminal) => void,
  { isWatched = true } = {},
) {
  for (let time = 1; time <= times; time += 1) {
    const terminal = await startInTerminal(path, processes);
    const { ended, output, url } = terminal;
    const token = readFileSync(join(path, 'admin-token'), 'utf8').trim();
    const asking = Array.from({ length: 4 }, () => keepAsking(url, token));
    const body = { name: `open ${time}`, scopes: ['servers:read'] };
    const request = await openRequest(url, token, '/v1/tokens', body);
    interrupt(terminal);
    await until('it says that it stops', () => output().includes('Stopping:'));
    assert.match(await request.finish(), /^HTTP\/1\.1 201 /, output());
    await ended;
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

test('each of 5 SIGHUP to the process group stops everything in order', async () => {
  // npm ends with it at once, and the terminal with npm: what the service says last is not always shown.
  await stopsInOrder(5, ({ signalGroup }) => signalGroup('SIGHUP'), { isWatched: false });
});

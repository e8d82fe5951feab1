import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ensureIncus } from './incus-daemon.ts';

const directory = mkdtempSync(join(tmpdir(), 'berth-daemon-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Listens on a socket as Incus does, and returns its path. */
async function listenAs(name: string, answer: RequestListener): Promise<string> {
  const socketPath = join(directory, name);
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  after(() => server.close().closeAllConnections());
  return socketPath;
}

test('an Incus that is starting is waited for', async () => {
  let requests = 0;
  const said: string[] = [];
  const socketPath = await listenAs('starting', (_, response) => {
    requests += 1;
    if (requests > 1) response.end();
  });
  await ensureIncus({ socketPath, say: (text) => said.push(text) });
  assert.deepEqual([requests, said], [2, ['Waiting for Incus']]);
});

test('something other than Incus is refused at once', async () => {
  const socketPath = await listenAs('other', (_, response) => response.writeHead(404).end());
  await assert.rejects(ensureIncus({ socketPath, say: () => undefined }), {
    message: `No Incus answers on ${socketPath}.`,
  });
});

test('a socket on which nothing listens is refused', async () => {
  const socketPath = join(directory, 'nothing');
  await assert.rejects(ensureIncus({ socketPath, say: () => undefined }), {
    message: `No Incus answers on ${socketPath}.`,
  });
});

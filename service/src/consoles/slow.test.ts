import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openConsole, startConsoleServices, type Watcher } from '../testing/consoles.ts';
import { until, untilUnchanged } from '../testing/until.ts';

const { db, own, request, open, startServer, startService } = await startConsoleServices();

const mib = 1024 * 1024;
const printed = 100 * mib;

async function logIn(console: Watcher): Promise<void> {
  await console.shows(/login: $/);
  console.type('root\r');
  await console.shows(/Password: $/);
  console.type('secret\r');
  await console.shows(/\$ $/);
}

/** Counts what a viewer gets, instead of keeping it. */
function count({ socket }: Watcher): () => number {
  let bytes = 0;
  socket.removeAllListeners('message');
  socket.on('message', (data: Buffer) => {
    bytes += data.length;
  });
  return () => bytes;
}

test('the guest waits for a viewer that does not read, and memory is bounded', async () => {
  const at = await startService({ slowMs: 120_000 });
  const console = await open(await startServer(), { at });
  await logIn(console);
  const received = count(console);
  const before = process.memoryUsage.rss();
  console.type(`yes | head -c ${printed}\r`);
  await until('it prints', received);
  console.socket.pause();
  await untilUnchanged('what is read', received);
  assert.ok(received() < printed, `${received()} bytes were read`);
  const grown = process.memoryUsage.rss() - before;
  assert.ok(grown < printed, `memory has grown by ${grown} bytes`);
  console.socket.resume();
  await until('all is read', received, (bytes) => bytes >= printed, 120);
});

test('one that does not read is cut off if others wait for it', async () => {
  const at = await startService({ slowMs: 200 });
  const id = await startServer();
  const quick = await open(id, { at });
  await logIn(quick);
  const { url } = (await request(id, own.headers, at)).json();
  const slow = await openConsole(url);
  await slow.shows(/\$ $/);
  slow.socket.pause();
  const received = count(quick);
  quick.type(`yes | head -c ${printed}\r`);
  await until('all is read', received, (bytes) => bytes >= printed, 120);
  slow.socket.resume();
  const { code } = await slow.closed;
  // Its connection may be ended before it reads why.
  assert.ok([1006, 4429].includes(code), String(code));
});

test('the only viewer is cut off as well if it does not read, because Incus tells nothing about the guest meanwhile', async () => {
  const at = await startService({ slowMs: 200 });
  const only = await open(await startServer(), { at });
  await logIn(only);
  only.type(`yes | head -c ${printed}\r`);
  only.socket.pause();
  const isForgotten = async () =>
    (await db.selectFrom('consoles').select('id').execute()).length === 0;
  await until('it is cut off', isForgotten);
});

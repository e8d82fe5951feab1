import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { until } from '../testing/until.ts';
import { askHelper } from './as-root.ts';
import type { RootCall } from './commands.ts';
import { createHelper } from './helper.ts';

// e2e/pool-quotas.long.test.ts tests the helper on a real btrfs.

const directory = temporaryDirectory('helper');
const pools = join(directory, 'storage-pools');
mkdirSync(join(pools, 'plain'), { recursive: true });
const socketPath = join(directory, 'socket');
const helper = createHelper(pools);
await once(helper.listen(socketPath), 'listening');
after(() => helper.close());

const connected = async (): Promise<Socket> => {
  const socket = connect(socketPath);
  await once(socket, 'connect');
  return socket;
};

test('malformed calls, and calls outside of pools, are refused', async () => {
  const volume = 'containers/srv-6f9619ff-8b86-4011-b42d-00c04fc964ff';
  const plain = join(pools, 'plain');
  for (const [path, call, refused] of [
    [plain, { call: 'show groups' }, /No btrfs is mounted/],
    [join(pools, 'none'), { call: 'rescan' }, /No btrfs is mounted/],
    ['/etc', { call: 'rescan' }, /is not in/],
    [`${pools}/../storage-pools/plain`, { call: 'rescan' }, /is not in/],
    [`${pools}/..`, { call: 'count simply' }, /No btrfs is mounted/],
    ['--help', { call: 'rescan' }, /no call/],
    [`${plain}\n`, { call: 'rescan' }, /no call/],
    [plain, { call: 'format' }, /no call/],
    [plain, { call: 'limit', volume, bytes: 0.5 }, /no call/],
    [plain, { call: 'limit', volume: '--help', bytes: 1 }, /no call/],
    [plain, { call: 'limit', volume: `${volume}/..`, bytes: 1 }, /no call/],
    [plain, { call: 'limit', volume: 'containers/../srv-1', bytes: 1 }, /no call/],
    [plain, { call: 'list subvolumes', volume: 'containers/of-somebody' }, /no call/],
  ] as [string, RootCall, RegExp][]) {
    await assert.rejects(askHelper(socketPath, path, call), refused, JSON.stringify([path, call]));
  }
  const socket = await connected();
  socket.end('{"path"\n');
  assert.match(await text(socket), /^\{"failed":/);
});

test('endless requests, and too many connections, are closed', async () => {
  const long = await connected();
  long.on('error', () => long.destroy());
  long.write('x'.repeat(10_000));
  await once(long, 'close');
  const held = await Promise.all(Array.from({ length: 8 }, connected));
  await assert.rejects(
    askHelper(socketPath, pools, { call: 'rescan' }),
    /no answer|ECONNRESET|EPIPE/,
  );
  for (const socket of held) socket.destroy();
  const again = () => askHelper(socketPath, pools, { call: 'rescan' }).catch(String);
  await until('it answers again', again, (said) => /is not in/.test(said));
});

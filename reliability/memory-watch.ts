import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

// Loaded into a service before its own code (`node --import`). A client that connects to this
// socket gets the number of bytes in use. The memory of the process is less meaningful, because garbage stays for a
// while.

const path = process.env.TEST_MEMORY_SOCKET;
if (isMainThread && path !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const watch = createServer((socket) => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    socket.end(String(heapUsed + external));
  });
  watch.listen(path).unref();
}

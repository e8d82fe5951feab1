import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Loaded into a service before its own code (`node --import`). A client that connects to this
// socket gets the longest time in milliseconds for which the event loop was blocked since the last
// connection.

const path = process.env.BENCH_LOOP_SOCKET;
if (isMainThread && path !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const watch = createServer((socket) => {
    // Not before, because it wakes the process a thousand times per second.
    delay.enable();
    // The histogram gets the current delay with the next tick only.
    setTimeout(() => {
      socket.end(String(delay.max / 1e6));
      delay.reset();
    }, 5);
  });
  watch.listen(path).unref();
}

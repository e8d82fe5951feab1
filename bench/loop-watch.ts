import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Loaded into a service before its own code (`node --import`). Whoever connects to this socket is told for how
// long, in milliseconds, its event loop was held at most since the last one did.

const path = process.env.BENCH_LOOP_SOCKET;
if (isMainThread && path !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const watch = createServer((socket) => {
    // What was read just now is still to be answered: the histogram gets it with the next tick.
    setTimeout(() => {
      socket.end(String(delay.max / 1e6));
      delay.reset();
    }, 5);
  });
  watch.listen(path).unref();
}

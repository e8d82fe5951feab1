import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import type { Block } from './watched-loop.ts';

// Loaded into a service before its own code (`node --import`). A client that connects to this
// socket gets the longest block of the event loop since the last connection.

const path = process.env.BENCH_LOOP_SOCKET;
if (isMainThread && path !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const processorTime = watchProcessorTime();
  const watch = createServer((socket) => {
    // Not before, because they wake the process a thousand times per second.
    delay.enable();
    processorTime.enable();
    // The histogram gets the current delay with the next tick only.
    setTimeout(() => {
      const block: Block = { ms: delay.max / 1e6, processorMs: processorTime.longestMs() };
      socket.end(JSON.stringify(block));
      delay.reset();
    }, 5);
  });
  watch.listen(path).unref();
}

/** Watches the longest processor time of the main thread between two runs of a timer. */
function watchProcessorTime() {
  let timer: NodeJS.Timeout | undefined;
  let longest = 0;
  let before = 0;
  const look = () => {
    const { user, system } = process.threadCpuUsage();
    longest = Math.max(longest, user + system - before);
    before = user + system;
  };
  return {
    enable() {
      if (timer) return;
      look();
      longest = 0;
      timer = setInterval(look, 1).unref();
    },
    /** Since the last call. */
    longestMs() {
      const microseconds = longest;
      longest = 0;
      return microseconds / 1000;
    },
  };
}

import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface WatchedLoop extends Disposable {
  /** The environment of the service, whose event loop is then watched (`loop-watch.ts`). */
  env: Record<string, string>;
  /** The longest time in milliseconds for which the event loop was blocked since the last call. */
  longestMs(): Promise<number>;
}

let watched = 0;

/** Watches the event loop of one service. */
export function watchedLoop(): WatchedLoop {
  watched += 1;
  const path = join(tmpdir(), `berth-loop-${process.pid}-${watched}.socket`);
  return {
    env: {
      NODE_OPTIONS: `--import=${new URL('loop-watch.ts', import.meta.url).href}`,
      BENCH_LOOP_SOCKET: path,
    },
    async longestMs() {
      return Number(await text(connect(path)));
    },
    [Symbol.dispose]: () => rmSync(path, { force: true }),
  };
}

/** The longest time in milliseconds for which the event loop was blocked during this work. */
export async function holdDuring(loop: WatchedLoop, work: () => Promise<void>): Promise<number> {
  await loop.longestMs();
  await work();
  return await loop.longestMs();
}

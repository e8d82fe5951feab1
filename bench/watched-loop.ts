import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';

/** The longest block of an event loop. */
export interface Block {
  /** How late a timer was, in which time other processes can have used the processor as well. */
  ms: number;
  /**
   * The longest processor time of the main thread in one turn of the loop. A turn processes everything that has arrived
   * since the previous one, so that it takes longer on a busy machine.
   */
  processorMs: number;
}

export interface WatchedLoop extends Disposable {
  /** The environment of the service, whose event loop is then watched (`loop-watch.ts`). */
  env: Record<string, string>;
  /** The longest block since the last call. */
  longestBlock(): Promise<Block>;
  /** The longest time in milliseconds for which the event loop was blocked since the last call. */
  longestMs(): Promise<number>;
}

/** Watches the event loop of one service. */
export function watchedLoop(): WatchedLoop {
  const directory = temporaryDirectory('loop');
  const path = join(directory, 'watch.socket');
  const longestBlock = async (): Promise<Block> => JSON.parse(await text(connect(path)));
  return {
    env: {
      NODE_OPTIONS: `--import=${new URL('loop-watch.ts', import.meta.url).href}`,
      BENCH_LOOP_SOCKET: path,
    },
    longestBlock,
    longestMs: async () => (await longestBlock()).ms,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}

/** The longest time in milliseconds for which the event loop was blocked during this work. */
export async function holdDuring(loop: WatchedLoop, work: () => Promise<void>): Promise<number> {
  await loop.longestMs();
  await work();
  return await loop.longestMs();
}

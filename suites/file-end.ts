import { isMainThread } from 'node:worker_threads';

// Imported before each test file, with `?seconds=` in its URL. `--test-timeout` only ends tests; a file that is kept
// alive after its tests, for example by an open socket, would never end.

const seconds = Number(new URL(import.meta.url).searchParams.get('seconds'));
// The runner and the threads of the file also import it.
const isFile = isMainThread && process.env.NODE_TEST_CONTEXT !== undefined;

/** Ends this process, and says what kept it alive. */
export function endProcess(afterSeconds: number): never {
  const alive = [...new Set(process.getActiveResourcesInfo())].join(', ');
  process.stderr.write(
    `This file had not ended after ${afterSeconds} s. It is kept alive by: ${alive}\n`,
  );
  process.exit(1);
}

if (isFile && seconds > 0) setTimeout(() => endProcess(seconds), seconds * 1000).unref();

import { isMainThread } from 'node:worker_threads';

// Imported before each test file, with `?seconds=` in its URL. `--test-timeout` ends a test; a file that something such
// as a socket keeps alive when its tests are over would never end.

const seconds = Number(new URL(import.meta.url).searchParams.get('seconds'));
// The runner, and threads of the file, import it, too.
const isFile = isMainThread && process.env.NODE_TEST_CONTEXT !== undefined;

function end(): never {
  const alive = [...new Set(process.getActiveResourcesInfo())].join(', ');
  process.stderr.write(
    `This file had not ended after ${seconds} s. It is kept alive by: ${alive}\n`,
  );
  process.exit(1);
}

if (isFile) setTimeout(end, seconds * 1000).unref();

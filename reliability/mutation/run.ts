import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { globalSetup, globalTeardown } from '../../service/src/testing/global-setup.ts';
import { readOptions, sandboxes } from './options.ts';

// npm run mutate: changes one place after the other in important code, and counts how often a test of the same folder
// detects this. StrykerJS ends its process at once when it is interrupted, so PostgreSQL is stopped by another process.

readOptions();
const player = fileURLToPath(new URL('play.ts', import.meta.url));
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => interrupted.abort(name));
}

await globalSetup();
try {
  process.exitCode = interrupted.signal.aborted ? 1 : await play(interrupted.signal);
} finally {
  await globalTeardown();
  // StrykerJS removes them itself, unless it is interrupted.
  rmSync(sandboxes, { recursive: true, force: true });
}

/** Runs the mutations to their end, or until `signal` aborts with the name of a signal. Returns the exit status. */
async function play(signal: AbortSignal): Promise<number> {
  // It gets a separate process group, so that its workers and their tests are interrupted with it. Each mutant starts
  // its tests anew, from files that do not change: a mutant is selected by a variable.
  const child = spawn(process.execPath, [player, ...process.argv.slice(2)], {
    stdio: 'inherit',
    detached: true,
    env: {
      NODE_COMPILE_CACHE: resolve(sandboxes, 'compiled'),
      BERTH_TEST_PATIENCE_SECONDS: '30',
      ...process.env,
    },
  });
  const passOn = () => child.pid !== undefined && process.kill(-child.pid, signal.reason);
  signal.addEventListener('abort', passOn, { once: true });
  try {
    const [status] = await once(child, 'exit');
    return status ?? 1;
  } finally {
    signal.removeEventListener('abort', passOn);
  }
}

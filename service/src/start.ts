import { ensureIncus } from '../../setup/incus-daemon.ts';
import { listenError, requireFreePort } from '../../setup/listening.mjs';
import type { Config } from './config/config.ts';
import { makeDataDirectory } from './db/embedded/data-directory.ts';
import { openDatabase } from './db/open.ts';
import { createLog } from './lib/log.ts';
import type { Interrupting, RunningService, Say } from './parts.ts';
import { startError } from './start-errors.ts';

/**
 * Starts all parts in the order of their dependencies, and stops the started ones if a later step fails. The servers
 * and Incus are never stopped. Throws `SetupError` for errors that a person can fix.
 */
export async function startService(
  config: Config,
  say: Say,
  interruption: Interrupting,
): Promise<RunningService> {
  try {
    return await bringUp(config, say, interruption);
  } catch (error) {
    throw startError(error, config);
  }
}

async function bringUp(
  config: Config,
  say: Say,
  interruption: Interrupting,
): Promise<RunningService> {
  await using stack = new AsyncDisposableStack();
  const log = createLog(config.logLevel);
  // Building an image can take minutes.
  await requireFreePort(config).catch((error) => {
    throw listenError(error, config);
  });
  await makeDataDirectory(config.dataDir);
  const launching = Promise.withResolvers<void>();
  // These run concurrently with the start of PostgreSQL, so that a start takes less time. Most of the code is loaded only
  // after PostgreSQL was launched, because loading blocks everything else.
  const beside = Promise.allSettled([
    config.local && ensureIncus({ socketPath: config.incusSocket, say }),
    launching.promise.then(() => import('./parts.ts')),
  ]);
  let announce = () => '';
  const database = await openDatabase(config, log, {
    announce: () => announce(),
    always: interruption.always,
    signal: interruption.signal,
    launched: launching.resolve,
  });
  stack.defer(() => database.close());
  launching.resolve();
  const [incus, parts] = await beside;
  if (incus.status === 'rejected') throw incus.reason;
  if (parts.status === 'rejected') throw parts.reason;
  const announceAs = (text: () => string) => {
    announce = text;
  };
  const given = { config, log, database, incus: incus.value, announceAs };
  return await parts.value.startParts(stack, given, { say, interruption });
}

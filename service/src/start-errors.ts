import { SetupError } from '../../setup/commands.mjs';
import type { Config } from './config/config.ts';
import { noRoomError } from './db/embedded/no-room.ts';
import { databaseError } from './db/errors.ts';
import { ProgramFailed } from './images/child.ts';
import { EngineError } from './incus/transport/errors.ts';

const wayOut = 'Fix that and start Berth again: it continues where it stopped.';

/** Turns what stopped a start into what the person can do about it; any other error is answered as it is. */
export function startError(error: unknown, config: Config): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof EngineError) return engineError(error);
  const ofDirectory = noRoomError(error, config.dataDir) ?? directoryError(error, config);
  return ofDirectory ?? databaseError(error, config, wayOut) ?? error;
}

/** Includes the output of a program that failed to build an image. */
function engineError({ message, cause }: EngineError): SetupError {
  if (!(cause instanceof ProgramFailed)) return new SetupError(message, wayOut);
  return new SetupError(message, `Is the Debian mirror in reach? ${wayOut}`, cause.message);
}

function directoryError(error: Error, { dataDir }: Config): SetupError | undefined {
  if (!('path' in error) || error.path !== dataDir || !('syscall' in error)) return undefined;
  const failed = `The data directory ${dataDir} can't be made (${codeOf(error)}).`;
  return new SetupError(failed, 'Set BERTH_DATA_DIR to one that can.');
}

/**
 * The error of listening on `host` and `port`, by the codes of listen(2), bind(2) and
 * getaddrinfo(3).
 */
export function listenError(error: unknown, { host, port }: Config): unknown {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    const free = 'End what listens there, or set BERTH_PORT to another port.';
    return new SetupError(`The port ${port} of ${host} is in use.`, free);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const own = 'Set BERTH_HOST to one of its addresses.';
    return new SetupError(`This machine does not have the address ${host}.`, own);
  }
  return error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

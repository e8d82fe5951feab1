import { SetupError } from '../../setup/commands.mjs';
import type { Config } from './config.ts';
import { isDatabaseUnavailable } from './db/errors.ts';
import { EngineError } from './incus/errors.ts';
import { ProgramFailed } from './operating-systems/child.ts';

const wayOut = 'When that is mended, start Berth again: it goes on where it was.';

/** What stopped a start, with the way out, where it is not a fault of our own. */
export function startError(error: unknown, config: Config): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof EngineError) return engineError(error);
  const code = 'code' in error ? String(error.code) : '';
  return (
    directoryError(error, code, config) ??
    listenError(code, config) ??
    databaseError(error, code, config) ??
    error
  );
}

/** With what a program printed, when one that builds an image has failed. */
function engineError({ message, cause }: EngineError): SetupError {
  if (!(cause instanceof ProgramFailed)) return new SetupError(message, wayOut);
  return new SetupError(message, `Is the Debian mirror in reach? ${wayOut}`, cause.message);
}

function directoryError(error: Error, code: string, { dataDir }: Config): SetupError | undefined {
  if (!('path' in error) || error.path !== dataDir || !('syscall' in error)) return undefined;
  const failed = `The data directory ${dataDir} can't be made (${code}).`;
  return new SetupError(failed, 'Set BERTH_DATA_DIR to one that can.');
}

/** Codes of listen(2), bind(2) and getaddrinfo(3). */
function listenError(code: string, { host, port }: Config): SetupError | undefined {
  if (code === 'EADDRINUSE') {
    const free = 'End what listens there, or set BERTH_PORT to another port.';
    return new SetupError(`The port ${port} of ${host} is in use.`, free);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    const own = 'Set BERTH_HOST to one of its addresses.';
    return new SetupError(`This machine does not have the address ${host}.`, own);
  }
  return undefined;
}

/** Classes 28 and 3D of PostgreSQL's error codes: not let in, and no such database. */
function databaseError(error: Error, code: string, config: Config): SetupError | undefined {
  if (!config.databaseUrl) return undefined;
  if (!isDatabaseUnavailable(error) && !/^(28|3D)/.test(code)) return undefined;
  const failed = `The PostgreSQL of DATABASE_URL can't be used: ${error.message || code}.`;
  return new SetupError(failed, `Check DATABASE_URL. ${wayOut}`);
}

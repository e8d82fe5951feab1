import { SetupError } from '../../setup/commands.mjs';
import type { Config } from './config/config.ts';
import { noRoomError } from './db/embedded/no-room.ts';
import { isDatabaseUnavailable } from './db/errors.ts';
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

/** With what a program printed, when one that builds an image has failed. */
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
 * The same for an error of listening on `host` and `port`, by the codes of listen(2), bind(2) and
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

/** Codes of OpenSSL, of Node.js for TLS, and of X.509 (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const tlsCodes =
  /^(ERR_(TLS|SSL|OSSL)_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_)/;
/** What the driver says without a code. */
const noTls = /does not support SSL connections/;

/**
 * What is wrong with the PostgreSQL of `DATABASE_URL`, in one sentence; undefined for any other error,
 * and without a `DATABASE_URL`. Classes 28 and 3D of PostgreSQL's error codes are: not let in, and no
 * such database.
 */
export function databaseError(
  error: unknown,
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  wayOut: string,
): SetupError | undefined {
  if (!databaseUrl || !(error instanceof Error)) return undefined;
  const code = codeOf(error);
  const isOfTls = tlsCodes.test(code) || noTls.test(error.message);
  const isKnown = isOfTls || isDatabaseUnavailable(error) || /^(28|3D)/.test(code);
  if (!isKnown && !isFileOf(databaseUrl, error)) return undefined;
  const reason = (error.message || code).replace(/\.$/, '');
  const failed = `The PostgreSQL of DATABASE_URL can't be used: ${reason}.`;
  return new SetupError(failed, `Check DATABASE_URL. ${wayOut}`);
}

/** Whether a file can't be read that the URL names, such as that of `sslrootcert`. */
function isFileOf(databaseUrl: string, error: Error): boolean {
  if (!('path' in error) || typeof error.path !== 'string') return false;
  return [...new URL(databaseUrl).searchParams.values()].includes(error.path);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

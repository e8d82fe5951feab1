import { SetupError } from '../../../setup/commands.mjs';
import { isDatabaseUnavailable } from './errors.ts';
import type { DatabasePlace } from './open.ts';

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
  { databaseUrl }: Pick<DatabasePlace, 'databaseUrl'>,
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

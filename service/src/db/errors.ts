import { SetupError } from '../../../setup/commands.mjs';
import type { DatabasePlace } from './open.ts';
import { isUnfitStatement } from './prepared/unfit.ts';
import { sharedByUnknown } from './queue/claim.ts';
import { QueueTooLong } from './queue/fair-queue.ts';

/**
 * Why a database does not work for a while. `busy`: with others; `own-share`: the caller uses its
 * whole share; `slow`: the statement took too long; `away`: anything else.
 */
export type DatabaseTrouble = 'away' | 'busy' | 'full' | 'own-share' | 'read-only' | 'slow';

/**
 * Transient errors of the socket and of PostgreSQL (its documentation, appendix A): 40001 and 40P01
 * lost a race, 53300 too many connections, 57P01 to 57P03 shutting down or starting.
 */
const passingCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // The unix socket of an embedded PostgreSQL that is down.
  '40001',
  '40P01',
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

/** Messages of the driver without a code. */
const messages =
  /^(Connection terminated|Client has encountered a connection error|Client was closed and is not queryable)/;
/** No connection became free in time, or a query took too long: PostgreSQL may only be busy. */
const timeouts = /^(timeout exceeded when trying to connect|Query read timeout)/;

/**
 * PostgreSQL's disk_full; read_only_sql_transaction, which a standby answers to a change; and
 * query_canceled, after the statement timeout.
 */
const troubles = new Map<string, DatabaseTrouble>([
  ['53100', 'full'],
  ['25006', 'read-only'],
  ['57014', 'slow'],
]);

/**
 * Why PostgreSQL could not run a statement, if a later attempt may succeed. Undefined for any other
 * error, such as a mistake in a statement.
 */
export function databaseTrouble(error: unknown): DatabaseTrouble | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof QueueTooLong) return queueTrouble(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = troubles.get(code);
  if (known) return known;
  if (code.startsWith('08') || isPassing(code, error) || messages.test(error.message))
    return 'away';
  if (isTimeout(error) || isUnfitStatement(error)) return 'away';
  return databaseTrouble(error.cause);
}

/** A caller who is not known yet can't do anything about other unknown callers. */
function queueTrouble({ key, isOwnFault }: QueueTooLong): DatabaseTrouble {
  return isOwnFault && key !== sharedByUnknown ? 'own-share' : 'busy';
}

/** Transactions that lost a race: the connection is well. */
const raceCodes = new Set(['40001', '40P01']);

/** Whether PostgreSQL has not answered in time. It may only be busy. */
export const isTimeout = (error: unknown) => error instanceof Error && timeouts.test(error.message);

/** Whether an error says that a connection to PostgreSQL was lost, or could not be made. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (raceCodes.has(code)) return false;
  if (isRefusedAtConnect(error)) return true;
  return code.startsWith('08') || isPassing(code, error) || messages.test(error.message);
}

/** Whether PostgreSQL could not run a statement, but a later attempt may succeed. */
export const isDatabaseUnavailable = (error: unknown) => databaseTrouble(error) !== undefined;

function isPassing(code: string, error: Error): boolean {
  if (code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  return passingCodes.has(code);
}

/** Codes of OpenSSL, of Node.js for TLS, and of X.509 (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const tlsCodes =
  /^(ERR_(TLS|SSL|OSSL)_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_)/;
/** Message of the driver without a code. */
const noTls = /does not support SSL connections/;

/** Of PostgreSQL's error codes, class 28 means access denied, and class 3D no such database. */
function isRefusedAtConnect(error: Error): boolean {
  const code = codeOf(error);
  return tlsCodes.test(code) || noTls.test(error.message) || /^(28|3D)/.test(code);
}

/**
 * What is wrong with the PostgreSQL of `DATABASE_URL`, in one sentence; undefined for any other
 * error, and without a `DATABASE_URL`.
 */
export function databaseError(
  error: unknown,
  { databaseUrl }: Pick<DatabasePlace, 'databaseUrl'>,
  wayOut: string,
): SetupError | undefined {
  if (!databaseUrl || !(error instanceof Error)) return undefined;
  const code = codeOf(error);
  if (databaseTrouble(error) === 'full') {
    const failed = 'The disk of the PostgreSQL of DATABASE_URL is full.';
    return new SetupError(failed, `Free disk space there. ${wayOut}`);
  }
  const isKnown = isDatabaseUnavailable(error) || isRefusedAtConnect(error);
  if (!isKnown && !isFileOf(databaseUrl, error)) return undefined;
  const reason = (error.message || code).replace(/\.$/, '');
  const failed = `The PostgreSQL of DATABASE_URL can't be used: ${reason}.`;
  return new SetupError(failed, `Check DATABASE_URL. ${wayOut}`);
}

/** Whether a file in the URL, such as `sslrootcert`, can't be read. */
function isFileOf(databaseUrl: string, error: Error): boolean {
  if (!('path' in error) || typeof error.path !== 'string') return false;
  return [...new URL(databaseUrl).searchParams.values()].includes(error.path);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * For how long a disk counts as full after a refused change: more than the interval at which usage
 * is written while the service runs.
 */
export const diskFullMs = 30_000;

/** Remembers when PostgreSQL last could not write because its disk was full. */
export interface DiskFullMonitor {
  /** Receives the error of each failed query. */
  failed(error: unknown): void;
  /** Since when its disk is full; undefined if no write failed in the last half minute. */
  since(): Date | undefined;
}

/**
 * @param now a monotonic clock in milliseconds
 */
export function createDiskFullMonitor(now = () => performance.now()): DiskFullMonitor {
  let last: number | undefined;
  let begin: Date | undefined;
  const isOver = () => last === undefined || now() - last > diskFullMs;
  return {
    failed(error) {
      if (databaseTrouble(error) !== 'full') return;
      if (isOver()) begin = new Date();
      last = now();
    },
    since: () => (isOver() ? undefined : begin),
  };
}

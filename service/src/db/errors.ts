import { DatabaseError } from 'pg';
import { SetupError } from '../../../setup/commands.mjs';
import { connectionWords, fileTrouble } from '../lib/system-errors.ts';
import type { DatabasePlace } from './open.ts';
import { isUnfitStatement } from './prepared/unfit.ts';
import { sharedByUnknown } from './queue/claim.ts';
import { QueueTooLong } from './queue/fair-queue.ts';

/**
 * Why a database is temporarily unavailable. `busy`: other callers use it; `full`: its disk is full; `own-share`: the
 * caller uses its whole share; `read-only`: it accepts no changes; `slow`: the statement took too long; `away`: any
 * other reason.
 */
export type DatabaseTrouble = 'away' | 'busy' | 'full' | 'own-share' | 'read-only' | 'slow';

/**
 * The transient errors of sockets and of PostgreSQL (appendix A of its documentation): 40001 and 40P01 mean a
 * serialization failure and a deadlock, 53300 too many connections, and 57P01 to 57P03 that PostgreSQL shuts down or
 * starts.
 */
const transientCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // The Unix socket of an embedded PostgreSQL that does not run.
  '40001',
  '40P01',
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

/** The messages of driver errors that have no code. */
const messages =
  /^(Connection terminated|Client has encountered a connection error|Client was closed and is not queryable)/;
/**
 * The messages of timeouts: no connection became free in time, or a query took too long. PostgreSQL may only be busy.
 */
const timeouts = /^(timeout exceeded when trying to connect|Query read timeout)/;

/**
 * The codes of PostgreSQL for disk_full; for read_only_sql_transaction, which a standby returns for changes; and for
 * query_canceled, after the statement timeout.
 */
const troubles = new Map<string, DatabaseTrouble>([
  ['53100', 'full'],
  ['25006', 'read-only'],
  ['57014', 'slow'],
]);

/**
 * Why PostgreSQL could not run a statement, if a later attempt may succeed. Undefined for any other error, such as one
 * in a statement.
 */
export function databaseTrouble(error: unknown): DatabaseTrouble | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof QueueTooLong) return queueTrouble(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = troubles.get(code);
  if (known) return known;
  if (isTransient(code, error) || isTimeout(error) || isUnfitStatement(error)) return 'away';
  return databaseTrouble(error.cause);
}

/** Unknown callers use one share together, so that none of them is at fault. */
function queueTrouble({ key, isOwnFault }: QueueTooLong): DatabaseTrouble {
  return isOwnFault && key !== sharedByUnknown ? 'own-share' : 'busy';
}

/** The codes of serialization failures and deadlocks, after which the connection still works. */
const raceCodes = new Set(['40001', '40P01']);

/** Whether PostgreSQL did not respond in time. It may only be busy. */
export const isTimeout = (error: unknown) => error instanceof Error && timeouts.test(error.message);

/** Whether an error says that a connection to PostgreSQL was lost, or could not be made. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (raceCodes.has(code)) return false;
  if (isRefusedAtConnect(error)) return true;
  return isTransient(code, error);
}

/** Whether PostgreSQL could not run a statement, but a later attempt may succeed. */
export const isDatabaseUnavailable = (error: unknown) => databaseTrouble(error) !== undefined;

function isTransient(code: string, error: Error): boolean {
  if (code.startsWith('08') || messages.test(error.message)) return true;
  if (code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  return transientCodes.has(code);
}

/**
 * The codes of OpenSSL, of Node.js for TLS, and of X.509
 * (https://nodejs.org/api/tls.html#x509-certificate-error-codes).
 */
const tlsCodes =
  /^(ERR_(TLS|SSL|OSSL)_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_)/;
/** The message of a driver error that has no code. */
const noTls = /does not support SSL connections/;

/**
 * Whether the connection was refused. Error class 28 of PostgreSQL means no access, and 3D that there is no such
 * database.
 */
function isRefusedAtConnect(error: Error): boolean {
  const code = codeOf(error);
  return tlsCodes.test(code) || noTls.test(error.message) || /^(28|3D)/.test(code);
}

/**
 * Explains why the PostgreSQL of `DATABASE_URL` can't be used. Undefined for any other error, and without a
 * `DATABASE_URL`.
 */
export function databaseError(
  error: unknown,
  { databaseUrl }: Pick<DatabasePlace, 'databaseUrl'>,
  wayOut: string,
): SetupError | undefined {
  if (!databaseUrl || !(error instanceof Error)) return undefined;
  if (databaseTrouble(error) === 'full') {
    const failed = 'The disk of the PostgreSQL of DATABASE_URL is full.';
    return new SetupError(failed, `Free disk space there. ${wayOut}`);
  }
  const isKnown = isDatabaseUnavailable(error) || isRefusedAtConnect(error);
  if (!isKnown && !isFileOf(databaseUrl, error)) return undefined;
  const failed = `The PostgreSQL of DATABASE_URL can't be used: ${reasonInWords(error)}.`;
  return new SetupError(failed, `Check DATABASE_URL. ${wayOut}`);
}

/** Why a connection failed. The messages of PostgreSQL are in words, and those of Node.js are not. */
export function reasonInWords(error: Error): string {
  const code = codeOf(error);
  const ofFile = fileTrouble(error);
  if (ofFile && 'path' in error) return `its file ${error.path} ${ofFile.failed} (${code})`;
  const words = connectionWords[code];
  if (words === undefined) return (error.message || code).replace(/\.$/, '');
  const host = 'hostname' in error ? `its host name ${error.hostname}` : 'its host name';
  return `${words.replace('its host name', host)} (${code})`;
}

/**
 * Explains why PostgreSQL refused a statement of a tool; undefined for any other error. `failed` is the beginning of a
 * sentence, `then` follows it. What PostgreSQL says is added as output.
 */
export function refusedByDatabase(
  error: unknown,
  failed: string,
  then = '',
): SetupError | undefined {
  if (!(error instanceof DatabaseError) || isDatabaseUnavailable(error)) return undefined;
  const { code = 'without a code', message } = error;
  const [why, wayOut] = statementTroubles[code] ?? ['PostgreSQL reported an error', reportIt];
  const sentence = `${failed}: ${why} (${code}). ${then}`.trimEnd();
  return new SetupError(sentence, wayOut, message);
}

const reportIt =
  'Look for the error in the log of PostgreSQL. If its cause is not there, report it with these lines.';

/** The codes of PostgreSQL for errors with a cause outside of Berth, and advice. */
const statementTroubles: Record<string, [why: string, wayOut: string]> = {
  '42501': [
    'the user of the database lacks a permission',
    'Use the user that the service uses, or make this one the owner of the database.',
  ],
  '55P03': ['others lock what it needs', 'Run it again later.'],
  '53200': ['PostgreSQL has too little memory', 'Give it more, and run this again.'],
  '58030': ['PostgreSQL cannot read or write its files', 'Check its disk: "dmesg" tells more.'],
  XX001: ['a file of PostgreSQL is damaged', 'Restore the database from an export.'],
  XX002: ['an index of PostgreSQL is damaged', 'Run "reindex database" in it, and run this again.'],
};

/** Whether an error concerns a file in the URL, such as `sslrootcert`. */
function isFileOf(databaseUrl: string, error: Error): boolean {
  if (!('path' in error) || typeof error.path !== 'string') return false;
  // A URL without a host is none for the class URL.
  const [, parameters] = databaseUrl.split('?');
  return [...new URLSearchParams(parameters).values()].includes(error.path);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * The time without a failed write after which the disk is not considered full. While the service runs, usage is written
 * more frequently.
 */
export const diskFullMs = 30_000;

/** Records whether PostgreSQL can't write because its disk is full. */
export interface DiskFullMonitor {
  /** Receives the error of each failed query. */
  failed(error: unknown): void;
  /** The time since which the disk is full; undefined if no write failed in the last 30 s. */
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

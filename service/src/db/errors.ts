import { SetupError } from '../../../setup/commands.mjs';
import type { DatabasePlace } from './open.ts';
import { sharedByUnknown } from './queue/claim.ts';
import { QueueTooLong } from './queue/fair-queue.ts';

/**
 * What keeps a database from working for a while: `busy` with others, or with as much of who asks as may be at
 * once (`own-share`); `slow` for what was asked. `away` is all that is none of the others.
 */
export type DatabaseTrouble = 'away' | 'busy' | 'full' | 'own-share' | 'read-only' | 'slow';

/**
 * Codes of errors that pass: of the socket, and of PostgreSQL (its documentation, appendix A):
 * 40001 and 40P01 lost a race, 53300 too many connections, 57P01 to 57P03 shutting down or starting.
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

/** What the driver says without a code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed and is not queryable)/;

/** Whether a statement was prepared before a migration changed what it answers. A later try prepares it anew. */
export function isOutdatedPlan(error: unknown): boolean {
  return error instanceof Error && error.message === 'cached plan must not change result type';
}

/**
 * PostgreSQL's disk_full; read_only_sql_transaction, which is what a standby answers to a change; and
 * query_canceled, after the time of a statement.
 */
const troubles = new Map<string, DatabaseTrouble>([
  ['53100', 'full'],
  ['25006', 'read-only'],
  ['57014', 'slow'],
]);

/**
 * Why PostgreSQL could not do what it was asked, where a later try may succeed. Undefined for any other
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
  if (isOutdatedPlan(error)) return 'away';
  return databaseTrouble(error.cause);
}

/** Who is unknown can't do anything about the others who are. */
function queueTrouble({ key, isOwnFault }: QueueTooLong): DatabaseTrouble {
  return isOwnFault && key !== sharedByUnknown ? 'own-share' : 'busy';
}

/** Whether PostgreSQL could not do what it was asked, but a later try may succeed. */
export const isDatabaseUnavailable = (error: unknown) => databaseTrouble(error) !== undefined;

function isPassing(code: string, error: Error): boolean {
  if (code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  return passingCodes.has(code);
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

/** More than the time between two countings of what servers use: these are written as long as the service runs. */
const keptMs = 30_000;

/** When PostgreSQL last refused to write for want of room on its disk. */
export interface RefusedRoom {
  /** Given each error of a query. */
  failed(error: unknown): void;
  /** Since when it refuses; undefined where it has not within the last half minute. */
  since(): Date | undefined;
}

/** `now`: ms, of a clock that only goes forward. */
export function createRefusedRoom(now = () => performance.now()): RefusedRoom {
  let last: number | undefined;
  let begin: Date | undefined;
  const isOver = () => last === undefined || now() - last > keptMs;
  return {
    failed(error) {
      if (databaseTrouble(error) !== 'full') return;
      if (isOver()) begin = new Date();
      last = now();
    },
    since: () => (isOver() ? undefined : begin),
  };
}

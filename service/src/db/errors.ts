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

/**
 * Codes of errors that pass: of the socket, and of PostgreSQL (its documentation, appendix A):
 * 40001 and 40P01 lost a race, 53100 disk full, 53300 too many connections, 57P01 to 57P03 shutting
 * down or starting.
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
  '53100',
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

/** What the driver says without a code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed and is not queryable)/;

/** Whether PostgreSQL could not be reached or asked to try again, so that a later try may do. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code.startsWith('08') || isPassing(code, error)) return true;
  return messages.test(error.message) || isDatabaseUnavailable(error.cause);
}

function isPassing(code: string, error: Error): boolean {
  if (code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  return passingCodes.has(code);
}

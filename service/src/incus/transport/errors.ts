import { connectionWords } from '../../lib/system-errors.ts';

/** The kinds of failures that operations distinguish. */
export type EngineErrorCode =
  | 'not_found'
  | 'already_exists'
  /**
   * The object is used by another operation, or is not in the state that the call requires. It should be read again.
   */
  | 'busy'
  | 'unreachable'
  | 'timeout'
  | 'invalid'
  | 'no_space'
  | 'forbidden'
  | 'failed';

/** Whether the same call may succeed later without a change by anybody. */
const retryableByDefault: Record<EngineErrorCode, boolean> = {
  not_found: false,
  already_exists: false,
  busy: true,
  unreachable: true,
  timeout: true,
  invalid: false,
  no_space: false,
  forbidden: false,
  // Incus returns 500 for any unspecific failure, including transient ones.
  failed: true,
};

interface EngineErrorDetails {
  retryable?: boolean;
  host?: string | undefined;
  where?: string;
  cause?: unknown;
  /** The text for customers, if the message contains text of Incus. */
  publicMessage?: string;
  /** The text for administrators, if it has more details than `publicMessage`. */
  reason?: string;
}

/**
 * The error of a failed call to Incus. Only an abort by the caller is thrown unchanged. The message is for the log and
 * for administrators, and customers are shown `publicMessage`.
 */
export class EngineError extends Error {
  readonly code: EngineErrorCode;
  readonly retryable: boolean;
  /** The host that Incus could not reach, such as an image server; undefined for Incus itself. */
  readonly host: string | undefined;
  /** The socket or URL of Incus itself, which is only for administrators. */
  readonly where: string | undefined;
  /** A sentence without text of Incus, which names paths, addresses and instances of others. */
  readonly publicMessage: string;
  /** The sentence for administrators, which may name the failed request. */
  readonly reason: string;

  constructor(code: EngineErrorCode, message: string, details: EngineErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'EngineError';
    this.code = code;
    this.retryable = details.retryable ?? retryableByDefault[code];
    this.host = details.host;
    this.where = details.where;
    this.publicMessage = details.publicMessage ?? message;
    this.reason = details.reason ?? this.publicMessage;
  }
}

export function isEngineError(error: unknown, ...codes: EngineErrorCode[]): error is EngineError {
  return error instanceof EngineError && codes.includes(error.code);
}

/**
 * The errors without a response, or with an incomplete one. The member may only be slow, or may already be back.
 */
const silentCodes = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'EAGAIN',
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
]);
const silentWords = /timed? ?out|deadline exceeded|closed the event stream/i;

/**
 * Whether an error means that Incus, or a member of its cluster, is unreachable: a refused connection, or the error of
 * another member. One that does not respond, or interrupts a connection, may only be slow.
 */
export function isRefusal(error: unknown): boolean {
  if (!isEngineError(error, 'unreachable', 'forbidden')) return false;
  return !silentCodes.has(errorCode(error.cause)) && !silentWords.test(error.message);
}

/** Whether a member of a cluster does not respond, refuses, or was removed since it was listed. */
export function isAway(error: unknown): error is EngineError {
  return isEngineError(error, 'unreachable', 'timeout', 'not_found');
}

/**
 * Returns the response of a member, or null if it is unreachable, or was removed since it was listed. Throws any other
 * error, and any error after the caller has aborted.
 */
export async function nullIfUnreachable<T>(
  asked: Promise<T>,
  signal: AbortSignal,
): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (signal.aborted || !isAway(error)) throw error;
    return null;
  }
}

// The format of url.Error in Go: a request by Incus itself failed.
const outgoingRequest = /\b(?:Get|Head|Post|Put|Patch|Delete) \\?"(https?:\/\/[^"\\]+)\\?"/;
const failedDownload = /Unable to fetch (https?:\/\/\S+): 5\d\d/;

/**
 * The message if another instance has the address. It will be removed soon, because orphans are removed at the next
 * sync.
 */
const addressTaken = /already defined on another NIC/;

/** The errors of `tc` if the kernel does not have a module. */
const missingModule =
  /\btc (?:qdisc|class|filter) add\b.*(?:Failed to load TC action module|qdisc kind is unknown|TC classifier not found|No such file or directory)/s;

/** Whether Incus could not limit the traffic of a NIC because the kernel of its host does not support it. */
export function lacksTrafficControl(error: unknown): boolean {
  return error instanceof EngineError && missingModule.test(error.message);
}

/**
 * The codes by message. The first match applies. They precede the statuses, because Incus returns 500 or 400 for most
 * errors.
 */
const textPatterns: readonly (readonly [RegExp, EngineErrorCode])[] = [
  [outgoingRequest, 'unreachable'],
  [failedDownload, 'unreachable'],
  [/\bdial (tcp|udp|unix)\b|no such host|connection refused|no route to host/, 'unreachable'],
  [/network is unreachable|TLS handshake|x509: |\btls: /, 'unreachable'],
  [/^(Daemon is )?shutting down|member .*is offline|member is evacuated/i, 'unreachable'],
  // This occurs for some time after the members were disconnected from each other.
  [/^Missing event connection with target cluster member/, 'unreachable'],
  [/no known leader|driver: bad connection|no available (dqlite|cowsql) leader/, 'unreachable'],
  [/sql: database is closed|^Server isn't ready yet/, 'unreachable'],
  [/no space left on device|disk quota exceeded|not enough (free )?space/i, 'no_space'],
  // This is not "already exists", because nothing with the requested name was created.
  [addressTaken, 'invalid'],
  // The container is shutting down, and its process has just ended.
  [/Invalid PID/, 'busy'],
  [/is busy running a|already (running|stopped)|(isn't|is not) running/, 'busy'],
  [/^Instance is running|(currently|still) in use|Only empty projects|database is locked/, 'busy'],
  [/matching non-reusable operation has now succeeded/, 'busy'],
  [/already exists|already defined|UNIQUE constraint failed/, 'already_exists'],
  [/(is|are) forbidden|not allowed in project|project doesn't allow/, 'forbidden'],
  [/Reached maximum (number|aggregate value)|Certificate is restricted/, 'forbidden'],
  [/context deadline exceeded|timed out|i\/o timeout/i, 'timeout'],
  [/\bInvalid\b|Server is not clustered|Unknown configuration key|Unsupported/, 'invalid'],
  // The pattern is narrow on purpose, because "not found" makes a deletion count as done.
  [/\b(Instance|Image|Image alias|Project|Network|Storage pool|Operation) not found/, 'not_found'],
  [/Alias '.*' doesn't exist|requested image couldn't be found/, 'not_found'],
  [/Couldn't find the requested image|^Image not provided/, 'not_found'],
];

const statusCodes: Readonly<Record<number, EngineErrorCode>> = {
  400: 'invalid',
  401: 'forbidden',
  403: 'forbidden',
  404: 'not_found',
  409: 'already_exists',
  412: 'busy',
  413: 'invalid',
  423: 'busy',
  429: 'busy',
  502: 'unreachable',
  503: 'unreachable',
  504: 'timeout',
  507: 'no_space',
};

function unreachableHost(text: string): string | undefined {
  const url = outgoingRequest.exec(text)?.[1] ?? failedDownload.exec(text)?.[1];
  if (url !== undefined) return URL.parse(url)?.host;
  return /lookup (\S+?)(?: on \S+)?: no such host/.exec(text)?.[1];
}

/**
 * Creates the error for a response of Incus, or for a failed operation.
 * @param text the message (`error` of a response, `err` of an operation)
 * @param status the HTTP status or `error_code`; 500 if there is none
 */
export function errorFromIncus(text: string, status = 500): EngineError {
  // A 404 always means `not_found`, and its text contains names that could match other patterns.
  const matched = status === 404 ? undefined : textPatterns.find(([regex]) => regex.test(text));
  const code = matched?.[1] ?? statusCodes[status] ?? 'failed';
  const host = code === 'unreachable' ? unreachableHost(text) : undefined;
  const message = host === undefined ? text : `${host} could not be reached: ${text}`;
  return new EngineError(code, message, {
    host,
    publicMessage: publicWords(text, code, host),
    ...(addressTaken.test(text) && { retryable: true }),
  });
}

/** The sentences for the users of a project. */
export const wordsFor: Record<EngineErrorCode, string> = {
  not_found: 'The engine does not have what this needs.',
  already_exists: 'The engine already has something of that name.',
  busy: 'The engine is busy with another operation.',
  unreachable: 'The node does not answer.',
  timeout: 'The engine did not answer in time.',
  invalid: 'The engine refused the request.',
  no_space: 'There is no space left on the storage of the node.',
  forbidden: 'The engine does not allow the request.',
  failed: 'The engine reported a failure.',
};

/**
 * The sentence for the users of a project. For a failed connection to Incus, `publicMessage` also has the error code,
 * which only administrators may see.
 */
export const messageForUsers = ({ code, publicMessage, where }: EngineError): string =>
  where === undefined ? publicMessage : wordsFor[code];

function publicWords(text: string, code: EngineErrorCode, host: string | undefined): string {
  if (host !== undefined) return `${host} could not be reached.`;
  return addressTaken.test(text) ? 'Another instance has one of its addresses.' : wordsFor[code];
}

/** Whether Incus refused to start an instance because another one on its network has the same address. */
export function isAddressTaken(error: unknown): error is EngineError {
  return error instanceof EngineError && addressTaken.test(error.message);
}

/** The errors that occur before a request is sent, so that another member can be tried. */
const connectCodes = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  // The socket temporarily accepts no more connections.
  'EAGAIN',
]);
const brokenCodes = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  // The client was closed during the call.
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
]);
// The verification errors of OpenSSL and of Node.js; see "X509 certificate error codes" of node:tls.
const tlsCode = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_)/;
const notThePinned = /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Whether nothing of the request can have reached Incus. */
export function failedBeforeSending(error: unknown): boolean {
  const code = errorCode(error);
  return connectCodes.has(code) || (tlsCode.test(code) && !code.startsWith('ERR_SSL_'));
}

/** Why a connection to Incus failed, in words for anybody; undefined for any other error. */
export function connectionTrouble(error: unknown): string | undefined {
  return error instanceof EngineError ? connectionWords[errorCode(error.cause)] : undefined;
}

/** The reason without the address, which the messages of Node.js contain, except for those about certificates. */
function reasonOf(error: unknown, code: string): string {
  const words = connectionWords[code];
  if (words !== undefined) return `${words} (${code})`;
  // The message of Node.js is about certificate authorities, which are not used here.
  if (notThePinned.test(code)) return `its certificate is not the pinned one (${code})`;
  return error instanceof Error && tlsCode.test(code) ? error.message : code;
}

/**
 * Creates the `EngineError` for a failed connection to `where`. Any other error is returned unchanged, because a bug
 * must not look like an outage.
 */
export function errorFromConnection(error: unknown, where: string): unknown {
  const code = errorCode(error);
  const reason = reasonOf(error, code);
  const details = { cause: error, where };
  if (code === 'EACCES' || code === 'EPERM') {
    return new EngineError('forbidden', `No permission to use Incus: ${reason}`, details);
  }
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return new EngineError(
      'failed',
      `What answers for Incus does not speak HTTP: ${reason}`,
      details,
    );
  }
  if (!failedBeforeSending(error) && !brokenCodes.has(code) && !tlsCode.test(code)) return error;
  return new EngineError('unreachable', `Incus could not be reached: ${reason}`, details);
}

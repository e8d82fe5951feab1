/** The kinds of failures that operations distinguish. */
export type EngineErrorCode =
  | 'not_found'
  | 'already_exists'
  /** Held by another operation, or in another state than the call assumes: look at it again. */
  | 'busy'
  | 'unreachable'
  | 'timeout'
  | 'invalid'
  | 'no_space'
  | 'forbidden'
  | 'failed';

/** Whether the same call may succeed later without anyone changing it. */
const retryableByDefault: Record<EngineErrorCode, boolean> = {
  not_found: false,
  already_exists: false,
  busy: true,
  unreachable: true,
  timeout: true,
  invalid: false,
  no_space: false,
  forbidden: false,
  // Incus answers 500 for any unspecific failure, including transient ones.
  failed: true,
};

interface EngineErrorDetails {
  retryable?: boolean;
  host?: string | undefined;
  where?: string;
  cause?: unknown;
  /** The text for customers, if the message contains words of Incus. */
  publicMessage?: string;
  /** The text for administrators, if it says more than `publicMessage`. */
  reason?: string;
}

/**
 * Every failure of a call to Incus. Only the caller's own abort is thrown as it is. Its message is for the
 * log and for operators; customers are shown its `publicMessage`.
 */
export class EngineError extends Error {
  readonly code: EngineErrorCode;
  readonly retryable: boolean;
  /** The host that Incus could not reach, such as an image server; undefined for Incus itself. */
  readonly host: string | undefined;
  /** The socket or URL of Incus itself, for operators alone. */
  readonly where: string | undefined;
  /** A sentence without words of Incus, which name paths, addresses and other people's instances. */
  readonly publicMessage: string;
  /** The same for administrators: it may say which request failed. */
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
 * Errors without an answer, or with an incomplete one: the member may only be slow, or be back
 * already.
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
 * Whether an error says that Incus, or a member of its cluster, can't be asked: a refused connection, or
 * words of another member. One that is silent, or breaks off, may only be slow.
 */
export function isRefusal(error: unknown): boolean {
  if (!isEngineError(error, 'unreachable', 'forbidden')) return false;
  return !silentCodes.has(errorCode(error.cause)) && !silentWords.test(error.message);
}

/** Whether a member of a cluster says nothing, refuses, or was removed since it was listed. */
export function isAway(error: unknown): error is EngineError {
  return isEngineError(error, 'unreachable', 'timeout', 'not_found');
}

/**
 * Returns the answer of a member, or null if it does not answer, or was removed since it was
 * listed. Throws any other error, and any error once the caller has aborted.
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

// Go's url.Error: a request that Incus itself made did not get through.
const outgoingRequest = /\b(?:Get|Head|Post|Put|Patch|Delete) \\?"(https?:\/\/[^"\\]+)\\?"/;
const failedDownload = /Unable to fetch (https?:\/\/\S+): 5\d\d/;

/**
 * The address belongs to an instance that is about to be removed: an orphan is removed at the next
 * sync.
 */
const addressTaken = /already defined on another NIC/;

/** `tc` fails like this if the kernel lacks a module. */
const missingModule =
  /\btc (?:qdisc|class|filter) add\b.*(?:Failed to load TC action module|qdisc kind is unknown|TC classifier not found|No such file or directory)/s;

/** Whether Incus could not limit the traffic of a NIC, since the kernel of its host has no means for it. */
export function lacksTrafficControl(error: unknown): boolean {
  return error instanceof EngineError && missingModule.test(error.message);
}

/** The first that matches decides; statuses come after, since Incus says 500 or 400 for most. */
const textPatterns: readonly (readonly [RegExp, EngineErrorCode])[] = [
  [outgoingRequest, 'unreachable'],
  [failedDownload, 'unreachable'],
  [/\bdial (tcp|udp|unix)\b|no such host|connection refused|no route to host/, 'unreachable'],
  [/network is unreachable|TLS handshake|x509: |\btls: /, 'unreachable'],
  [/^(Daemon is )?shutting down|member .*is offline|member is evacuated/i, 'unreachable'],
  // For a while after the members were disconnected from each other.
  [/^Missing event connection with target cluster member/, 'unreachable'],
  [/no known leader|driver: bad connection|no available (dqlite|cowsql) leader/, 'unreachable'],
  [/sql: database is closed|^Server isn't ready yet/, 'unreachable'],
  [/no space left on device|disk quota exceeded|not enough (free )?space/i, 'no_space'],
  // This is not "already exists": nothing with the wanted name was created.
  [addressTaken, 'invalid'],
  // A container that is shutting down, whose process has just ended.
  [/Invalid PID/, 'busy'],
  [/is busy running a|already (running|stopped)|(isn't|is not) running/, 'busy'],
  [/^Instance is running|(currently|still) in use|Only empty projects|database is locked/, 'busy'],
  [/matching non-reusable operation has now succeeded/, 'busy'],
  [/already exists|already defined|UNIQUE constraint failed/, 'already_exists'],
  [/(is|are) forbidden|not allowed in project|project doesn't allow/, 'forbidden'],
  [/Reached maximum (number|aggregate value)|Certificate is restricted/, 'forbidden'],
  [/context deadline exceeded|timed out|i\/o timeout/i, 'timeout'],
  [/\bInvalid\b|Server is not clustered|Unknown configuration key|Unsupported/, 'invalid'],
  // Narrow on purpose: "not found" makes a delete count as done.
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
 * The error for an answer of Incus, or for a failed operation.
 * @param text the message (`error` of an answer, `err` of an operation)
 * @param status the HTTP status or `error_code`; 500 if there is none
 */
export function errorFromIncus(text: string, status = 500): EngineError {
  // A 404 is never about anything else, and its text quotes names.
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

/** Sentences for the users of a project. */
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
 * The sentence for the users of a project. Of a connection to Incus that failed, administrators are also told the code,
 * in `publicMessage`.
 */
export const messageForUsers = ({ code, publicMessage, where }: EngineError): string =>
  where === undefined ? publicMessage : wordsFor[code];

function publicWords(text: string, code: EngineErrorCode, host: string | undefined): string {
  if (host !== undefined) return `${host} could not be reached.`;
  return addressTaken.test(text) ? 'Another instance has one of its addresses.' : wordsFor[code];
}

/** Whether Incus refused to start an instance because another one on its network has its address. */
export function isAddressTaken(error: unknown): error is EngineError {
  return error instanceof EngineError && addressTaken.test(error.message);
}

/** Errors that come before a request is sent, so that another member may be asked. */
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
  // A socket that takes no more connections for now.
  'EAGAIN',
]);
const brokenCodes = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  // Our own client was closed under the call.
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
]);
// OpenSSL's verification results and Node's own; see "X509 certificate error codes" of node:tls.
const tlsCode = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_)/;
const notThePinned = /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** True when nothing of the request can have reached Incus. */
export function failedBeforeSending(error: unknown): boolean {
  const code = errorCode(error);
  return connectCodes.has(code) || (tlsCode.test(code) && !code.startsWith('ERR_SSL_'));
}

/** Why there is no connection, or no complete answer, by the codes of connect(2), getaddrinfo(3) and undici. */
const connectionWords: Readonly<Record<string, string>> = {
  ENOENT: 'its socket does not exist',
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name could not be resolved',
  EHOSTUNREACH: 'there is no route to its host',
  ENETUNREACH: 'there is no route to its network',
  ETIMEDOUT: 'the connection was not established in time',
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not established in time',
  EAGAIN: 'it accepts no more connections at the moment',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
};

/** Why a connection to Incus failed, in words for anybody; undefined for any other error. */
export function connectionTrouble(error: unknown): string | undefined {
  return error instanceof EngineError ? connectionWords[errorCode(error.cause)] : undefined;
}

/** Messages of Node contain the address, except for those about certificates. */
function reasonOf(error: unknown, code: string): string {
  const words = connectionWords[code];
  if (words !== undefined) return `${words} (${code})`;
  // Node's message is about certificate authorities, which are not used here.
  if (notThePinned.test(code)) return `its certificate is not the pinned one (${code})`;
  return error instanceof Error && tlsCode.test(code) ? error.message : code;
}

/**
 * The `EngineError` for a failed connection to `where`. Any other error is returned unchanged,
 * since a bug must not look like an outage.
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

import {
  type LogFn,
  type Logger,
  type LoggerOptions,
  pino,
  type SerializedError,
  stdSerializers,
  stdTimeFunctions,
} from 'pino';
import { isOfSharedOutage, reasonOf } from './outage.ts';

/** The bytes that are buffered while the log can't be written. Further lines are dropped. */
const mostKept = 1024 * 1024;

/** A stack is logged again only after so long. */
const stackMs = 3_600_000;
const mostStacks = 200;

/** Of errors of connections, whose stack has only functions of the driver. */
const connectionCodes = new Set([
  ...['unreachable', 'timeout'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'],
]);

/**
 * A serializer of errors that includes a stack only once an hour. What fails again and again would fill the log with it.
 * `now`: ms, of a clock that only goes forward.
 */
export function errorSerializer(now = () => performance.now()) {
  const loggedAt = new Map<string, number>();

  function isNew(stack: string): boolean {
    const before = loggedAt.get(stack);
    if (before !== undefined && now() - before < stackMs) return false;
    loggedAt.delete(stack);
    loggedAt.set(stack, now());
    const [oldest] = loggedAt.keys();
    if (loggedAt.size > mostStacks && oldest !== undefined) loggedAt.delete(oldest);
    return true;
  }

  return (error: unknown): unknown => {
    if (!(error instanceof Error)) return error;
    const told: SerializedError = stdSerializers.err(error);
    if (!connectionCodes.has(String(told.code)) && isNew(told.stack)) return told;
    const { stack: _, aggregateErrors: __, ...line } = told;
    return line;
  };
}

/** What a shared outage has counted is logged at the level `debug`, and without a stack. */
function logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [about, ...rest] = args as [unknown, ...unknown[]];
  const error = about instanceof Error ? about : errIn(about);
  if (isOfSharedOutage(error)) {
    const fields = about instanceof Error ? {} : (about as object);
    this.debug({ ...fields, err: undefined, reason: reasonOf(error) }, ...(rest as []));
  } else {
    method.apply(this, args);
  }
}

const errIn = (about: unknown) =>
  typeof about === 'object' && about !== null && 'err' in about ? about.err : undefined;

/** Each line has its level as a word, and its time in the format of the API. */
export const lineFormat: LoggerOptions = {
  formatters: { level: (level) => ({ level }) },
  timestamp: stdTimeFunctions.isoTime,
  serializers: { err: errorSerializer() },
  hooks: { logMethod },
};

/**
 * The log, with one JSON object per line on standard error. If it can't be written, such as to a full disk, the service
 * continues, and the lines are written when there is space.
 */
export function createLog(level: string): Logger {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: mostKept });
  destination.on('error', () => undefined);
  return pino({ ...lineFormat, level }, destination);
}

import { type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';

/** Kept while it can't be written, in bytes; what goes beyond is dropped. */
const mostKept = 1024 * 1024;

/** Each line has its level as a word, and its time in the format of the API. */
export const lineFormat: LoggerOptions = {
  formatters: { level: (level) => ({ level }) },
  timestamp: stdTimeFunctions.isoTime,
};

/**
 * The log, on standard error, a line of JSON each. Where it can't be written, such as to a disk that
 * is full, the service goes on: it is written once there is room.
 */
export function createLog(level: string): Logger {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: mostKept });
  destination.on('error', () => undefined);
  return pino({ ...lineFormat, level }, destination);
}

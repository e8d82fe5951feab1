import { type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';

/** The bytes that are buffered while the log can't be written. Further lines are dropped. */
const mostKept = 1024 * 1024;

/** Each line has its level as a word, and its time in the format of the API. */
export const lineFormat: LoggerOptions = {
  formatters: { level: (level) => ({ level }) },
  timestamp: stdTimeFunctions.isoTime,
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

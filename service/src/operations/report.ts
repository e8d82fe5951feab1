import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { inTurn } from '../lib/in-turn.ts';
import { type OperationKind, progressAt, sentence } from './define.ts';
import { reportProgress } from './lease-queries.ts';
import type { OperationRow } from './queries.ts';

const leastMilliseconds = 300;

/**
 * Writes the progress of a step, a few times a second at most. Reports in between are dropped: the
 * next one, or the step's commit, replaces them.
 */
export function throttledProgress(
  { db, log }: { db: Db; log: Logger },
  operation: OperationRow,
  kind: OperationKind,
) {
  let lastAt = 0;
  const writing = inTurn();

  function report(fraction: number, doing?: string): void {
    if (Date.now() - lastAt < leastMilliseconds) return;
    lastAt = Date.now();
    const progress = progressAt(kind, operation.step, fraction);
    const message = sentence(kind, operation.step, doing);
    writing.add(
      () => reportProgress(db, operation, progress, message),
      (error) =>
        log.warn(
          { err: error, operation: operation.id },
          'The progress of an operation could not be written.',
        ),
    );
  }

  return { report, settled: writing.idle };
}

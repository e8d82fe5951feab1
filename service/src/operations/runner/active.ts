import type { Logger } from 'pino';
import { type OperationKind, unknownKind } from '../define.ts';
import { type Execution, executeOperation } from '../execute.ts';
import type { Leased } from '../lease.ts';

export interface ActiveOptions {
  execution: Execution;
  kinds: readonly OperationKind[];
  log: Logger;
  /** Aborted when the running steps should end. */
  signal: AbortSignal;
  /** Called when an operation has ended or was released, and no other one was leased at its end. */
  onSlotFree(): void;
}

/** The operations that this process carries out now. */
export interface ActiveOperations {
  count(): number;
  start(leased: Leased): void;
  /** Aborts the step of an operation that was superseded. */
  abort(id: number): void;
  /** Resolves once all operations have ended or were released. */
  idle(): Promise<void>;
}

/**
 * For a moment there may be two entries for an operation: it was leased again after its first lease
 * was lost.
 */
interface Entry {
  id: number;
  task: Promise<void>;
  abort: AbortController;
}

export function activeOperations(options: ActiveOptions): ActiveOperations {
  const { execution, log, signal, onSlotFree } = options;
  const kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
  const entries = new Set<Entry>();

  function start(leased: Leased): void {
    const { operation } = leased;
    const kind = kinds.get(operation.kind) ?? unknownKind(operation);
    const abort = new AbortController();
    let isFollowed = false;
    // It has an entry from the beginning, so that it is aborted if it is superseded at once.
    const startNext = (next: Leased) => {
      isFollowed = true;
      start(next);
    };
    const until = AbortSignal.any([abort.signal, signal]);
    const task = executeOperation(execution, kind, leased, { abort, signal: until, startNext })
      .catch((error) =>
        log.error(
          { err: error, operation: operation.id },
          'The processing of an operation failed.',
        ),
      )
      .finally(() => {
        entries.delete(entry);
        if (!isFollowed) onSlotFree();
      });
    const entry = { id: operation.id, task, abort };
    entries.add(entry);
  }

  return {
    count: () => entries.size,
    start,
    abort(id) {
      for (const entry of entries) if (entry.id === id) entry.abort.abort();
    },
    async idle() {
      // One that ends now may have leased another one, which is released at once.
      while (entries.size > 0) await Promise.all([...entries].map(({ task }) => task));
    },
  };
}

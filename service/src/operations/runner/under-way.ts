import type { Logger } from 'pino';
import { type OperationKind, unknownKind } from '../define.ts';
import { type Execution, executeOperation } from '../execute.ts';
import type { Leased } from '../lease.ts';

export interface CarryingOut {
  execution: Execution;
  kinds: readonly OperationKind[];
  log: Logger;
  /** Aborted when the steps under way are to come to their next stop. */
  signal: AbortSignal;
  /** Called when there is a place for another one. */
  placeIsFree(): void;
}

/** The operations that this process carries out now. */
export interface UnderWay {
  count(): number;
  begin(leased: Leased): void;
  /** Aborts the step of an operation that is another worker's, or nobody's, now. */
  letGo(id: number): void;
  /** Resolves once all have ended or were let go. */
  idle(): Promise<void>;
}

/** One operation may be there twice for a moment: once more after its first lease was lost. */
interface Entry {
  id: number;
  task: Promise<void>;
  abort: AbortController;
}

export function operationsUnderWay(carrying: CarryingOut): UnderWay {
  const { execution, log, signal, placeIsFree } = carrying;
  const kinds = new Map(carrying.kinds.map((kind) => [kind.kind, kind]));
  const entries = new Set<Entry>();
  return {
    count: () => entries.size,
    begin(leased) {
      const { operation } = leased;
      const kind = kinds.get(operation.kind) ?? unknownKind(operation);
      const abort = new AbortController();
      const until = AbortSignal.any([abort.signal, signal]);
      const task = executeOperation(execution, kind, leased, abort, until)
        .catch((error) => log.error({ err: error, operation: operation.id }, 'Operation left.'))
        .finally(() => {
          entries.delete(entry);
          placeIsFree();
        });
      const entry = { id: operation.id, task, abort };
      entries.add(entry);
    },
    letGo(id) {
      for (const entry of entries) if (entry.id === id) entry.abort.abort();
    },
    async idle() {
      await Promise.all([...entries].map(({ task }) => task));
    },
  };
}

import type { Logger } from 'pino';
import { EngineError, isRefusal } from '../../incus/transport/errors.ts';
import { setReachability } from '../../locations/queries.ts';
import type { Subject } from '../truth.ts';

/** Of one kind in a row, before the engine counts as away: once may be chance, or a moment of much work. */
const mostFailures = 3;
const unknownTrouble = 'The service could not look at it; its log says why.';

/** What tells whether an engine can be asked: its stream of events, that it answers, and what about. */
export type Sign = 'events' | 'answers' | 'nodes' | 'instances';

/** Whether the engine of a location can be asked, as far as was seen. */
export interface Reachability {
  answered(sign: Sign): void;
  failed(sign: Sign, error: unknown): void;
  /** What a look answers, of which is noted whether it did; what was aborted says nothing. */
  judge<T>(sign: Sign, look: Promise<T>, signal: AbortSignal): Promise<T>;
  isInDoubt(...signs: Sign[]): boolean;
  /** Enters what was seen so far, and that somebody watches. */
  enter(): Promise<void>;
}

/**
 * It can't be asked where it refuses, where three looks in a row were answered by silence (`askPatiently`), and where the
 * same has failed three times in a row.
 * @param changed called when there is something to enter
 */
export function createReachability(
  { db, locationId }: Pick<Subject, 'db' | 'locationId'>,
  log: Logger,
  changed: () => void,
): Reachability {
  const troubles = new Map<Sign, string | null>();
  const failures = new Map<Sign, number>();

  function answered(sign: Sign): void {
    failures.delete(sign);
    troubles.set(sign, null);
    changed();
  }

  function failed(sign: Sign, error: unknown): void {
    const inARow = (failures.get(sign) ?? 0) + 1;
    failures.set(sign, inARow);
    // The one look of these is three.
    const isSure = sign === 'answers' || isRefusal(error) || inARow >= mostFailures;
    if (!isSure) return;
    const reason = error instanceof EngineError ? error.publicMessage : unknownTrouble;
    // Anyone may see the location: what Incus itself said is for the log, once.
    if (troubles.get(sign) !== reason) {
      const said = error instanceof Error ? error.message : String(error);
      log.warn({ locationId, sign, reason: said }, 'The engine of a location can not be asked.');
    }
    troubles.set(sign, reason);
    changed();
  }

  return {
    answered,
    failed,
    async judge(sign, look, signal) {
      try {
        const answer = await look;
        answered(sign);
        return answer;
      } catch (error) {
        if (error instanceof EngineError && !signal.aborted) failed(sign, error);
        throw error;
      }
    },
    isInDoubt: (...signs) => signs.some((sign) => failures.has(sign)),
    async enter() {
      if (!troubles.has('events')) return;
      const reasons = [...troubles.values()];
      await setReachability(db, locationId, reasons.find((reason) => reason !== null) ?? null);
    },
  };
}

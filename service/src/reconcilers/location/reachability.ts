import type { Logger } from 'pino';
import { EngineError, isRefusal } from '../../incus/transport/errors.ts';
import { setReachability } from '../../locations/queries.ts';
import type { Subject } from '../truth.ts';

/** Of one kind in a row, before the engine counts as away: once may be chance, or a moment of much work. */
const mostFailures = 3;
const unknownTrouble = 'The service could not look at it; its log says why.';

/** What shows whether an engine can be reached: its stream of events, a ping, and the syncs of nodes and of instances. */
export type Probe = 'events' | 'ping' | 'nodes' | 'instances';

/** Whether the engine of a location can be reached, as far as its probes have shown. */
export interface Reachability {
  recordSuccess(probe: Probe): void;
  recordFailure(probe: Probe, error: unknown): void;
  /** Records how a call ended, and answers what it does; an abort is no result. */
  record<T>(probe: Probe, call: Promise<T>, signal: AbortSignal): Promise<T>;
  hasFailed(...probes: Probe[]): boolean;
  /** Writes it to the location, and that a service watches it. */
  write(): Promise<void>;
}

/**
 * The engine is unreachable once it refuses, once three pings in a row were met by silence (`askPatiently`), and once the
 * same probe has failed three times in a row.
 * @param probed called when there is something to write
 */
export function createReachability(
  { db, locationId }: Pick<Subject, 'db' | 'locationId'>,
  log: Logger,
  probed: () => void,
): Reachability {
  const troubles = new Map<Probe, string | null>();
  const failures = new Map<Probe, number>();

  function recordSuccess(probe: Probe): void {
    failures.delete(probe);
    troubles.set(probe, null);
    probed();
  }

  function recordFailure(probe: Probe, error: unknown): void {
    const inARow = (failures.get(probe) ?? 0) + 1;
    failures.set(probe, inARow);
    // A ping that fails is three already.
    const isSure = probe === 'ping' || isRefusal(error) || inARow >= mostFailures;
    if (!isSure) return;
    const reason = error instanceof EngineError ? error.publicMessage : unknownTrouble;
    // Anyone may see the location: what Incus itself said is for the log, once.
    if (troubles.get(probe) !== reason) {
      const said = error instanceof Error ? error.message : String(error);
      log.warn({ locationId, probe, reason: said }, 'The Incus of a location is unreachable.');
    }
    troubles.set(probe, reason);
    probed();
  }

  return {
    recordSuccess,
    recordFailure,
    async record(probe, call, signal) {
      try {
        const answer = await call;
        recordSuccess(probe);
        return answer;
      } catch (error) {
        if (error instanceof EngineError && !signal.aborted) recordFailure(probe, error);
        throw error;
      }
    },
    hasFailed: (...probes) => probes.some((probe) => failures.has(probe)),
    async write() {
      if (!troubles.has('events')) return;
      const reasons = [...troubles.values()];
      await setReachability(db, locationId, reasons.find((reason) => reason !== null) ?? null);
    },
  };
}

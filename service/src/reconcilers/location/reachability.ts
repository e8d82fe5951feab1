import { EngineError, isRefusal } from '../../incus/transport/errors.ts';
import type { Outage } from '../../lib/outage.ts';
import { setReachability } from '../../locations/queries.ts';
import type { Subject } from '../truth.ts';

/**
 * How often one probe must fail in a row before the engine counts as unreachable: a single failure
 * may be chance, or load.
 */
const failureThreshold = 3;
const unknownReason = 'The service could not look at it; its log says why.';

/** What shows whether an engine can be reached: its stream of events, a ping, and the syncs of nodes and of instances. */
export type Probe = 'events' | 'ping' | 'nodes' | 'instances';

/** Whether the engine of a location can be reached, according to its probes. */
export interface Reachability {
  recordSuccess(probe: Probe): void;
  recordFailure(probe: Probe, error: unknown): void;
  /** Records how a call ended, and passes on its result. An abort is not recorded. */
  record<T>(probe: Probe, call: Promise<T>, signal: AbortSignal): Promise<T>;
  hasFailed(...probes: Probe[]): boolean;
  /** Writes the result to the location, and that a service watches it. */
  write(): Promise<void>;
}

/**
 * The engine is unreachable once it refuses a connection, once three pings in a row got no answer
 * (`askPatiently`), or once the same probe has failed three times in a row.
 * @param outage logs it
 * @param probed called when there is something to write
 */
export function createReachability(
  { db, locationId }: Pick<Subject, 'db' | 'locationId'>,
  outage: Outage,
  probed: () => void,
): Reachability {
  const reasons = new Map<Probe, string | null>();
  const failures = new Map<Probe, number>();

  function recordSuccess(probe: Probe): void {
    failures.delete(probe);
    reasons.set(probe, null);
    outage.worked();
    probed();
  }

  function recordFailure(probe: Probe, error: unknown): void {
    const consecutive = (failures.get(probe) ?? 0) + 1;
    failures.set(probe, consecutive);
    // A ping fails only after three attempts.
    const isConfirmed = probe === 'ping' || isRefusal(error) || consecutive >= failureThreshold;
    if (!isConfirmed) return;
    // The message of Incus itself goes to the log: it may name instances and paths.
    outage.failed(error, { probe });
    reasons.set(probe, error instanceof EngineError ? error.reason : unknownReason);
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
      if (!reasons.has('events')) return;
      const reason = [...reasons.values()].find((one) => one !== null);
      await setReachability(db, locationId, reason ?? null);
    },
  };
}

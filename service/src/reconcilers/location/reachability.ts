import { EngineError, isRefusal } from '../../incus/transport/errors.ts';
import type { Outage } from '../../lib/outage.ts';
import { setReachability } from '../../locations/queries.ts';
import type { Subject } from '../truth.ts';

/**
 * The number of consecutive failures of one probe after which the engine counts as unreachable. A single failure may be
 * due to chance or load.
 */
const failureThreshold = 3;
const unknownReason = 'The service could not look at it; its log says why.';

/**
 * A kind of calls that show whether an engine is reachable: its stream of events, a ping, and the syncs of nodes and
 * instances.
 */
export type Probe = 'events' | 'ping' | 'nodes' | 'instances';

/** Records whether the engine of a location is reachable, according to its probes. */
export interface Reachability {
  recordSuccess(probe: Probe): void;
  recordFailure(probe: Probe, error: unknown): void;
  /** Records the outcome of a call, and returns its result. Aborts and errors of Berth itself are not recorded. */
  record<T>(probe: Probe, call: Promise<T>, signal: AbortSignal): Promise<T>;
  hasFailed(...probes: Probe[]): boolean;
  /** Writes to the location whether it is reachable, and that a service watches it. */
  write(): Promise<void>;
}

/**
 * Records the reachability of an engine. It is unreachable once it refuses a connection, once three pings in a row got
 * no response (`askPatiently`), or once the same probe has failed three times in a row.
 * @param outage logs the failures
 * @param probed called when `write` should be called
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
    // A ping fails only after three attempts, so that its first failure counts.
    const isConfirmed = probe === 'ping' || isRefusal(error) || consecutive >= failureThreshold;
    if (!isConfirmed) return;
    // The message of Incus is only logged, because it may name instances and paths.
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

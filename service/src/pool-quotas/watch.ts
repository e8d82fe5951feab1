import type { Logger } from 'pino';
import type { IncusClient } from '../incus/client.ts';
import { defineReconciler } from '../reconciler-runtime/define.ts';
import type { RunObserver } from '../reconciler-runtime/observer.ts';
import { startReconcilers } from '../reconciler-runtime/runner.ts';
import type { QuotaMode } from './counting.ts';
import type { SizedInstance } from './disk-size.ts';
import type { Location, PoolQuotas } from './pool-quotas.ts';
import type { QuotaGuard } from './quota-guard.ts';

/**
 * A poll reads a few bytes of the kernel, whereas a guest may write hundreds of megabytes a second.
 */
const pollMilliseconds = 250;
const backOffMilliseconds = 10_000;
const staleMilliseconds = 24 * 3600 * 1000;

/** The state of the limits in a pool of this machine. */
export interface QuotaFigures {
  mode: QuotaMode;
  isInconsistent: boolean;
  /** How many servers do not have the limit of their size; undefined if that is not known. */
  unlimited: number | undefined;
}

/** Receives what the process that watches a location measures. */
export interface QuotaObserver {
  /** `figures` is undefined once the location is no longer watched. */
  quotas(location: string, figures: QuotaFigures | undefined): void;
  rescanned(location: string, seconds: number): void;
}

interface QuotaWatchOptions {
  client: IncusClient;
  poolQuotas: PoolQuotas;
  log: Logger;
  signal: AbortSignal;
  observer: QuotaObserver | undefined;
  /** Receives the runs of its reconcilers. */
  runs?: RunObserver | undefined;
  report(error: unknown): void;
}

type WatchedLocation = Location & { name: string };

/** The state of the pool at the last poll. */
interface QuotaState extends QuotaWatchOptions {
  location: WatchedLocation;
  guard: QuotaGuard | undefined;
  /** The instances of the last comparison, by name. */
  compared: ReadonlyMap<string, SizedInstance>;
  unlimited: number | undefined;
  wasInconsistent: boolean;
  /** When stale groups were last cleared, by the wall clock. */
  clearedAt: number;
}

/** Enforces the disk limits of servers whose location has a btrfs pool on this machine. */
export interface QuotaWatch {
  /** Enforces the limits of all instances of a location. Runs as part of each sync. */
  compare(instances: SizedInstance[]): Promise<void>;
  /**
   * Enforces the limit of one instance, which a restore has removed: first by the size at the last comparison, and then
   * by the size that Incus reports.
   */
  syncInstance(name: string): void;
  stop(): Promise<void>;
}

/** The key is the name of an instance. */
const instanceQuota = defineReconciler<QuotaState, 'instance_restored'>({
  name: 'instance-quota',
  on: ['instance_restored'],
  retry: { times: 4, pauseMilliseconds: 500 },
  failure: 'The disk limit of a server could not be set.',
  async run({ client, guard, compared, report, signal }, name) {
    // The guest may be writing already, and a busy Incus may take seconds to respond. The known size may be outdated, so
    // that it does not replace a limit.
    const known = compared.get(name);
    const isLost = known && (await guard?.limitOf(known))?.limit === null;
    if (isLost) await guard?.enforce([known], report);
    const instance = await client.instances.get(name, { signal });
    if (instance) await guard?.enforce([instance], report);
  },
});

/** Rescans the quotas of a pool that are inconsistent. */
const poolCount = defineReconciler<QuotaState, 'instance_restored'>({
  name: 'pool-count',
  every: { milliseconds: pollMilliseconds, from: 'end' },
  backOffMilliseconds,
  failure: 'The quota rescan of a storage pool failed.',
  async run(state) {
    const { guard, location, log, observer, signal } = state;
    const isInconsistent = guard?.isInconsistent() ?? false;
    if (isInconsistent !== state.wasInconsistent) observe(state);
    state.wasInconsistent = isInconsistent;
    if (!isInconsistent || !guard?.canEnforce()) return;
    const seconds = await guard.rescan(signal);
    observer?.rescanned(location.name, seconds);
    log.warn(
      { location: location.name, seconds },
      'The quota accounting of a storage pool was inconsistent. It has been rescanned.',
    );
    return { recounted: 1 };
  },
});

function observe({ guard, location, observer, signal, unlimited }: QuotaState): void {
  if (!guard || signal.aborted) return;
  const isInconsistent = guard.isInconsistent();
  observer?.quotas(location.name, { mode: guard.mode(), isInconsistent, unlimited });
}

/** Only what determines the size, because an instance has much else. */
function sizedPart({ name, type, project, devices }: SizedInstance): SizedInstance {
  return { name, type, project, devices: devices.root ? { root: devices.root } : {} };
}

async function clearStaleDaily(
  state: QuotaState,
  { canEnforce, clearStale }: QuotaGuard,
): Promise<void> {
  if (!canEnforce() || Date.now() - state.clearedAt < staleMilliseconds) return;
  state.clearedAt = Date.now();
  await clearStale();
}

export function watchQuotas(options: QuotaWatchOptions, location: WatchedLocation): QuotaWatch {
  const { client, poolQuotas, log, signal, observer, report, runs } = options;
  const state: QuotaState = {
    ...{ ...options, location, guard: undefined, compared: new Map(), unlimited: undefined },
    ...{ wasInconsistent: false, clearedAt: 0 },
  };
  // The pool of an engine over HTTPS is on another machine.
  const isNear = 'socket_path' in location.engine;
  const reconcilers = isNear ? [instanceQuota, poolCount] : [];
  const runner = startReconcilers({
    ...{ reconcilers, subject: state, location: location.name },
    ...{ signal, log, observer: runs },
  });
  return {
    async compare(instances) {
      const guard = await poolQuotas.of(location, client);
      state.guard = guard;
      if (!guard) return;
      state.compared = new Map(instances.map((instance) => [instance.name, sizedPart(instance)]));
      state.unlimited = undefined;
      try {
        state.unlimited = (await guard.enforce(instances, report))?.length;
      } finally {
        observe(state);
      }
      if (guard.mode() !== 'none') await clearStaleDaily(state, guard);
    },
    syncInstance: (name) => runner.trigger('instance_restored', name),
    async stop() {
      await runner.stop();
      observer?.quotas(location.name, undefined);
    },
  };
}

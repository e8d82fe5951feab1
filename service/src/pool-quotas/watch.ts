import type { Logger } from 'pino';
import type { IncusClient } from '../incus/client.ts';
import { defineReconciler } from '../reconciler-runtime/define.ts';
import type { RunObserver } from '../reconciler-runtime/observer.ts';
import { startReconcilers } from '../reconciler-runtime/runner.ts';
import type { QuotaMode } from './counting.ts';
import type { PoolKeeper } from './keeper.ts';
import type { Location, PoolQuotas } from './pool-quotas.ts';
import type { Sized } from './promise.ts';

/** A look reads a few bytes of the kernel; a guest may write some hundred megabytes a second. */
const lookMilliseconds = 250;
const backOffMilliseconds = 10_000;
const staleMilliseconds = 24 * 3600 * 1000;

/** How the limits of a pool on this machine are. */
export interface QuotaFigures {
  mode: QuotaMode;
  isInconsistent: boolean;
  /** Servers that are not held to what they were promised; undefined where that can't be known. */
  unlimited: number | undefined;
}

/** Told by who watches a location. */
export interface QuotaObserver {
  /** Undefined once it is watched no longer. */
  quotas(location: string, figures: QuotaFigures | undefined): void;
  rescanned(location: string, seconds: number): void;
}

interface Keeping {
  client: IncusClient;
  poolQuotas: PoolQuotas;
  log: Logger;
  signal: AbortSignal;
  observer: QuotaObserver | undefined;
  /** Told of the runs of its reconcilers. */
  runs?: RunObserver | undefined;
  report(error: unknown): void;
}

type WatchedLocation = Location & { name: string };

/** What is known of the pool, and how it was when it was looked at last. */
interface QuotaState extends Keeping {
  location: WatchedLocation;
  keeper: PoolKeeper | undefined;
  unlimited: number | undefined;
  wasLost: boolean;
  /** When stale groups were cleared, by the wall clock. */
  cleared: number;
}

/** Keeps servers to the sizes of their disks, where their location has a btrfs pool on this machine. */
export interface QuotaWatch {
  /** Compares all of a location, as part of each sweep. */
  compare(instances: Sized[]): Promise<void>;
  /** Looks at one, whose limit a restore has dropped. */
  lookAt(name: string): void;
  stop(): Promise<void>;
}

/** The key is an instance's name. */
const instanceQuota = defineReconciler<QuotaState, 'instance_restored'>({
  name: 'instance-quota',
  on: ['instance_restored'],
  failure: 'The disk limit of a server could not be set.',
  async run({ client, keeper, report, signal }, name) {
    const instance = await client.instances.get(name, { signal });
    if (instance) await keeper?.compare([instance], report);
  },
});

/** Has the kernel count a pool anew whose count it has lost. */
const poolCount = defineReconciler<QuotaState, 'instance_restored'>({
  name: 'pool-count',
  every: { milliseconds: lookMilliseconds, from: 'end' },
  backOffMilliseconds,
  failure: 'The quota rescan of a storage pool failed.',
  async run(state) {
    const { keeper, location, log, observer, signal } = state;
    const isLost = keeper?.isInconsistent() ?? false;
    if (isLost !== state.wasLost) observe(state);
    state.wasLost = isLost;
    if (!isLost || !keeper?.keeps()) return;
    const seconds = await keeper.heal(signal);
    observer?.rescanned(location.name, seconds);
    log.warn(
      { location: location.name, seconds },
      'The quota accounting of a storage pool was inconsistent. It has been rescanned.',
    );
    return { recounted: 1 };
  },
});

function observe({ keeper, location, observer, signal, unlimited }: QuotaState): void {
  if (!keeper || signal.aborted) return;
  const isInconsistent = keeper.isInconsistent();
  observer?.quotas(location.name, { mode: keeper.mode(), isInconsistent, unlimited });
}

async function clearOnceADay(state: QuotaState, { keeps, clearStale }: PoolKeeper): Promise<void> {
  if (!keeps() || Date.now() - state.cleared < staleMilliseconds) return;
  state.cleared = Date.now();
  await clearStale();
}

export function watchQuotas(keeping: Keeping, location: WatchedLocation): QuotaWatch {
  const { client, poolQuotas, log, signal, observer, report, runs } = keeping;
  const state: QuotaState = {
    ...{ ...keeping, location, keeper: undefined, unlimited: undefined },
    ...{ wasLost: false, cleared: 0 },
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
      const keeper = await poolQuotas.of(location, client);
      state.keeper = keeper;
      if (!keeper) return;
      state.unlimited = undefined;
      try {
        state.unlimited = (await keeper.compare(instances, report))?.length;
      } finally {
        observe(state);
      }
      if (keeper.mode() !== 'none') await clearOnceADay(state, keeper);
    },
    lookAt: (name) => runner.trigger('instance_restored', name),
    async stop() {
      await runner.stop();
      observer?.quotas(location.name, undefined);
    },
  };
}

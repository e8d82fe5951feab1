import type { Logger } from 'pino';
import type { IncusClient } from '../incus/client.ts';
import { serialised } from '../lib/serialised.ts';
import type { QuotaMode } from './counting.ts';
import type { PoolKeeper } from './keeper.ts';
import type { Location, PoolQuotas } from './pool-quotas.ts';
import type { Sized } from './promise.ts';

/** A look reads a few bytes of the kernel; a guest may write some hundred megabytes a second. */
const lookMilliseconds = 250;
/** After one that failed: each is told of. */
const againMilliseconds = 10_000;
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
  report(error: unknown): void;
}

/** Keeps servers to the sizes of their disks, where their location has a btrfs pool on this machine. */
export interface QuotaWatch {
  /** Compares all of a location, as part of each sweep. */
  compare(instances: Sized[]): Promise<void>;
  /** Looks at one, whose limit a restore has dropped. */
  lookAt(name: string): void;
  end(): Promise<void>;
}

export function watchQuotas(keeping: Keeping, location: Location & { name: string }): QuotaWatch {
  const { client, poolQuotas, log, signal, observer, report } = keeping;
  let keeper: PoolKeeper | undefined;
  let unlimited: number | undefined;
  let wasLost = false;
  let cleared = 0;
  let notBefore = 0;

  function tell(): void {
    if (!keeper || signal.aborted) return;
    const isInconsistent = keeper.isInconsistent();
    observer?.quotas(location.name, { mode: keeper.mode(), isInconsistent, unlimited });
  }

  const look = serialised(async (name) => {
    const instance = await client.instances.get(name, { signal });
    if (instance) await keeper?.compare([instance], report);
  }, report);

  const heal = serialised(async () => {
    const isLost = keeper?.isInconsistent() ?? false;
    if (isLost !== wasLost) tell();
    wasLost = isLost;
    if (!isLost || !keeper?.keeps() || performance.now() < notBefore) return;
    notBefore = performance.now() + againMilliseconds;
    const seconds = await keeper.heal(signal);
    notBefore = 0;
    observer?.rescanned(location.name, seconds);
    log.warn({ location: location.name, seconds }, 'The kernel had lost count of a pool.');
  }, report);

  const timer = setInterval(() => heal.run('all'), lookMilliseconds);

  async function clearOnceADay({ keeps, clearStale }: PoolKeeper): Promise<void> {
    if (!keeps() || Date.now() - cleared < staleMilliseconds) return;
    cleared = Date.now();
    await clearStale();
  }

  return {
    async compare(instances) {
      keeper = await poolQuotas.of(location, client);
      if (!keeper) return;
      unlimited = undefined;
      try {
        unlimited = (await keeper.compare(instances, report))?.length;
      } finally {
        tell();
      }
      if (keeper.mode() !== 'none') await clearOnceADay(keeper);
    },
    lookAt: look.run,
    async end() {
      clearInterval(timer);
      await Promise.all([look.idle(), heal.idle()]);
      observer?.quotas(location.name, undefined);
    },
  };
}

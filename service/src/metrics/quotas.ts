import { Counter, Gauge, type Registry } from 'prom-client';
import type { QuotaObserver } from '../pool-quotas/watch.ts';

const modes = ['simple', 'classic', 'none'] as const;

/** Metrics of the disk quotas in btrfs pools of this machine. */
export function quotaObserver(registers: Registry[]): QuotaObserver {
  const ofLocation = { labelNames: ['location'], registers } as const;
  const mode = new Gauge({
    name: 'berth_pool_quota_mode',
    help: 'How btrfs counts in the pool of a location on the machine of this service: 1 for simple, classic or none. Told by who watches the location, as the other metrics of pool quotas.',
    labelNames: ['location', 'mode'],
    registers,
  });
  const inconsistent = new Gauge({
    name: 'berth_pool_quota_inconsistent',
    help: 'Whether the kernel has lost count of the pool, so that no disk in it is held to its size.',
    ...ofLocation,
  });
  const unlimited = new Gauge({
    name: 'berth_servers_disk_unlimited',
    help: 'Servers whose disk limit in force is not the one that they were promised.',
    ...ofLocation,
  });
  const rescans = new Counter({
    name: 'berth_pool_quota_rescans_total',
    help: 'How often this service had the kernel count a pool anew.',
    ...ofLocation,
  });
  const seconds = new Counter({
    name: 'berth_pool_quota_rescan_seconds_total',
    help: 'How long that took.',
    ...ofLocation,
  });
  return {
    quotas(location, figures) {
      for (const one of modes) {
        if (figures) mode.set({ location, mode: one }, Number(figures.mode === one));
        else mode.remove({ location, mode: one });
      }
      if (figures) inconsistent.set({ location }, Number(figures.isInconsistent));
      else inconsistent.remove({ location });
      if (figures?.unlimited === undefined) unlimited.remove({ location });
      else unlimited.set({ location }, figures.unlimited);
    },
    rescanned(location, took) {
      rescans.inc({ location });
      seconds.inc({ location }, took);
    },
  };
}

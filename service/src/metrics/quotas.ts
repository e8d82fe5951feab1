import { Counter, Gauge, type Registry } from 'prom-client';
import type { QuotaObserver } from '../pool-quotas/watch.ts';

const modes = ['simple', 'classic', 'none'] as const;

/** Metrics of the disk quotas in btrfs pools of this machine. */
export function quotaObserver(registers: Registry[]): QuotaObserver {
  const ofLocation = { labelNames: ['location'], registers } as const;
  const mode = new Gauge({
    name: 'berth_pool_quota_mode',
    help: 'Quota mode of a btrfs pool on the machine of this service: 1 for simple, classic or none. Like the other metrics of pool quotas, reported by the service that watches the location.',
    labelNames: ['location', 'mode'],
    registers,
  });
  const inconsistent = new Gauge({
    name: 'berth_pool_quota_inconsistent',
    help: '1 while the quota accounting of the pool is inconsistent, so that no disk size is enforced in it.',
    ...ofLocation,
  });
  const unlimited = new Gauge({
    name: 'berth_servers_disk_unlimited',
    help: 'Servers whose disk limit in force differs from their disk size.',
    ...ofLocation,
  });
  const rescans = new Counter({
    name: 'berth_pool_quota_rescans_total',
    help: 'Number of quota rescans that this service has started.',
    ...ofLocation,
  });
  const seconds = new Counter({
    name: 'berth_pool_quota_rescan_seconds_total',
    help: 'Total duration of these rescans.',
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

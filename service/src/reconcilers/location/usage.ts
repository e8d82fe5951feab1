import { diskSeconds, metricsSeconds } from '../../usage/collect/collector.ts';
import { define } from './subject.ts';

/**
 * Rounds at full seconds of the clock, never two at once: those of a month end with it, and each sample of the history has
 * its own time.
 */
const each = (seconds: number) =>
  ({ milliseconds: seconds * 1000, first: 'now', from: 'clock' }) as const;

/** Reads what servers use but for their disks. */
export const usage = define({
  name: 'usage',
  every: each(metricsSeconds),
  async run({ collector, signal }, _, { tell, failed }) {
    const errors = await collector.collect(signal);
    tell('counted');
    for (const error of errors) failed(error);
  },
});

export const diskUsage = define({
  name: 'disk-usage',
  every: each(diskSeconds),
  async run({ collector, signal }, _, { failed }) {
    for (const error of await collector.collectDisk(signal)) failed(error);
  },
});

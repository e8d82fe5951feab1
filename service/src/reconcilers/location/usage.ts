import { diskSeconds, metricsSeconds } from '../../usage/collect/collector.ts';
import { define } from './subject.ts';

/**
 * The schedule of rounds, which begin at full seconds of the clock and never overlap. The last round of a month
 * therefore ends with the month, and each sample of the history has a separate time.
 */
const each = (seconds: number) =>
  ({ milliseconds: seconds * 1000, first: 'now', from: 'clock' }) as const;

/** Reads the usage of servers, except for their disks. */
export const usage = define({
  name: 'usage',
  every: each(metricsSeconds),
  async run({ collector, signal }, _, { trigger, recordFailure }) {
    for (const error of await collector.collect(signal)) recordFailure(error);
    trigger('usage_collected');
  },
});

export const diskUsage = define({
  name: 'disk-usage',
  every: each(diskSeconds),
  async run({ collector, signal }, _, { recordFailure }) {
    for (const error of await collector.collectDisk(signal)) recordFailure(error);
  },
});

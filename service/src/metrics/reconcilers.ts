import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { outcomes, type RunObserver } from '../reconciler-runtime/observer.ts';

/** Seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Metrics of the reconcilers of this service. */
export function reconcilerObserver(registry: Registry): RunObserver {
  const registers = [registry];
  const runs = new Counter({
    name: 'berth_reconciler_runs_total',
    help: 'Runs of reconcilers: succeeded, failed, or aborted because their data was out of date or the service stopped.',
    labelNames: ['reconciler', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'berth_reconciler_duration_seconds',
    help: 'Duration of a run of a reconciler, including retries.',
    labelNames: ['reconciler'],
    buckets,
    registers,
  });
  const lag = new Histogram({
    name: 'berth_reconciler_lag_seconds',
    help: 'Time from when a run of a reconciler was triggered until it began. It waits for the previous run.',
    labelNames: ['reconciler'],
    buckets,
    registers,
  });
  const lastSuccess = new Gauge({
    name: 'berth_reconciler_last_success_timestamp_seconds',
    help: 'Time at which a run of a reconciler last succeeded. The location is empty for a reconciler that is not about one.',
    labelNames: ['reconciler', 'location'],
    registers,
  });
  return {
    added({ reconciler }) {
      // Exists from the start, so that the first one is seen as an increase.
      for (const outcome of outcomes) runs.inc({ reconciler, outcome }, 0);
    },
    began() {},
    ended({ reconciler, location }, { outcome, ...run }) {
      runs.inc({ reconciler, outcome });
      seconds.observe({ reconciler }, run.seconds);
      lag.observe({ reconciler }, run.lagSeconds);
      if (outcome === 'succeeded') lastSuccess.setToCurrentTime({ reconciler, location });
    },
    removed: ({ reconciler, location }) => lastSuccess.remove({ reconciler, location }),
  };
}

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Closing, closings } from '../edge/connections.ts';
import type { AnsweredRequest } from '../http/metrics.ts';
import type { CallObserver } from '../incus/transport/api.ts';
import type { OperationObserver } from '../operations/execute.ts';
import type { RunObserver } from '../reconciler-runtime/observer.ts';
import type { WatchObserver } from '../reconcilers/location/subject.ts';
import { findings } from '../reconcilers/truth.ts';
import type { RecordsObserver } from '../retention/retention.ts';
import { quotaObserver } from './quotas.ts';
import { reconcilerObserver } from './reconcilers.ts';

/** Seconds. */
const quick = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const long = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3600, 7200];

export interface Observers {
  answered(request: AnsweredRequest): void;
  largeAnswerRefused(share: string): void;
  connectionClosed(why: Closing): void;
  operations: OperationObserver;
  called: CallObserver;
  watch: WatchObserver;
  records: RecordsObserver;
  reconcilers: RunObserver;
}

/**
 * Metrics that this process counts as things happen. The number of values of each label is limited.
 */
export function observers(registry: Registry): Observers {
  const registers = [registry];
  const requests = new Counter({
    name: 'berth_http_requests_total',
    help: 'Requests that this service answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'berth_http_request_duration_seconds',
    help: 'Time to the end of the answer. With Prefer: wait it includes the wait.',
    labelNames: ['method', 'route'],
    buckets: quick,
    registers,
  });
  const refused = new Counter({
    name: 'berth_http_large_answers_refused_total',
    help: 'Large answers that were refused, by whose share of them was used up: token, user, project, address, anonymous (all without a token together) or all.',
    labelNames: ['share'],
    registers,
  });
  const connections = new Counter({
    name: 'berth_http_connections_closed_total',
    help: 'Connections that were closed for want of places: new ones since their address held its share (address) or since nobody had one to spare (full), and idle ones that gave way to a new one (idle).',
    labelNames: ['reason'],
    registers,
  });
  const operationSeconds = new Histogram({
    name: 'berth_operation_duration_seconds',
    help: 'From the request for an operation to its end, by the service whose worker ended it. Superseded ones are not in it.',
    labelNames: ['kind', 'outcome'],
    buckets: long,
    registers,
  });
  const retries = new Counter({
    name: 'berth_operation_step_retries_total',
    help: 'Steps of operations that failed and are tried again.',
    labelNames: ['kind', 'step'],
    registers,
  });
  const calls = new Counter({
    name: 'berth_engine_calls_total',
    help: 'Calls to the engine. The outcome is ok, aborted by the caller, or the code of the error; not_found is often as it should be.',
    labelNames: ['method', 'path', 'outcome'],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'berth_engine_call_duration_seconds',
    help: 'Time of a call to the engine, with its answer. A call whose path ends in /wait waits for an operation of the engine.',
    labelNames: ['method', 'path'],
    buckets: quick,
    registers,
  });
  const led = new Gauge({
    name: 'berth_locations_led',
    help: 'Locations that this service watches and counts. Over all services it is all locations.',
    registers,
  });
  const lag = new Histogram({
    name: 'berth_engine_event_lag_seconds',
    help: 'From when the engine dated an event until it was here. Clocks that differ show, too.',
    buckets: quick,
    registers,
  });
  const sweepSeconds = new Histogram({
    name: 'berth_sweep_duration_seconds',
    help: 'Comparing all servers and nodes of a location with the engine, by the service that watches it.',
    buckets: quick,
    registers,
  });
  const found = new Counter({
    name: 'berth_reconciler_findings_total',
    help: 'What looks at the engine found to be otherwise than recorded.',
    labelNames: ['finding'],
    registers,
  });
  const removed = new Counter({
    name: 'berth_records_removed_total',
    help: 'Records that this service removed since they had been kept long enough, of the audit log whole months; outputs_dropped: outputs beyond the quota of their project.',
    labelNames: ['what'],
    registers,
  });
  const kept = new Gauge({
    name: 'berth_retention_timestamp_seconds',
    help: 'When this service last looked for records that had been kept long enough, without an error.',
    registers,
  });
  const unconfined = new Gauge({
    name: 'berth_servers_unconfined',
    help: 'Servers that run as they were started before Berth denied their guests to make subvolumes, by the service that watches their location. Their next start confines them.',
    labelNames: ['location'],
    registers,
  });
  const withSubvolumes = new Gauge({
    name: 'berth_servers_with_subvolumes',
    help: 'Servers in whose disks there are subvolumes, which the quota does not count, by the service that watches their location, each hour. Absent where it is not root, or the disks are on another machine.',
    labelNames: ['location'],
    registers,
  });
  const quotas = quotaObserver(registers);
  // Exists from the start, so that the first one is seen as an increase.
  for (const finding of findings) found.inc({ finding }, 0);
  for (const reason of closings) connections.inc({ reason }, 0);
  return {
    answered({ method, route, status, seconds }) {
      requests.inc({ method, route, status });
      requestSeconds.observe({ method, route }, seconds);
    },
    largeAnswerRefused: (share) => refused.inc({ share }),
    connectionClosed: (reason) => connections.inc({ reason }),
    operations: {
      ended: (kind, outcome, seconds) => operationSeconds.observe({ kind, outcome }, seconds),
      retried: (kind, step) => retries.inc({ kind, step }),
      outputsDropped: (count) => removed.inc({ what: 'outputs_dropped' }, count),
    },
    called({ method, path, outcome, seconds }) {
      calls.inc({ method, path, outcome });
      callSeconds.observe({ method, path }, seconds);
    },
    watch: {
      ...quotas,
      led: (change) => led.inc(change),
      lagged: (seconds) => lag.observe(seconds),
      swept: (seconds) => sweepSeconds.observe(seconds),
      found: (finding, count) => found.inc({ finding }, count),
      unconfined: (location, count) =>
        count === undefined ? unconfined.remove({ location }) : unconfined.set({ location }, count),
      withSubvolumes: (location, count) =>
        count === undefined
          ? withSubvolumes.remove({ location })
          : withSubvolumes.set({ location }, count),
    },
    records: {
      removed: (counts) => {
        for (const [what, count] of Object.entries(counts)) removed.inc({ what }, count);
        kept.setToCurrentTime();
      },
    },
    reconcilers: reconcilerObserver(registry),
  };
}

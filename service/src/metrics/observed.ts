import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Closing, closings } from '../edge/connections.ts';
import type { FeedObserver } from '../events/feed.ts';
import type { AnsweredRequest } from '../http/metrics.ts';
import type { CallObserver } from '../incus/transport/api.ts';
import type { OperationObserver } from '../operations/execute.ts';
import type { RunObserver } from '../reconciler-runtime/observer.ts';
import type { WatchObserver } from '../reconcilers/location/subject.ts';
import { findings } from '../reconcilers/truth.ts';
import type { RecordsObserver } from '../retention/retention.ts';
import type { AttemptObserver } from '../webhooks/sending/attempt.ts';
import { eventObserver } from './events.ts';
import { quotaObserver } from './quotas.ts';
import { reconcilerObserver } from './reconcilers.ts';
import { webhookObserver } from './webhooks.ts';

/** Seconds. */
const quick = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const long = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3600, 7200];

export interface Observers {
  answered(request: AnsweredRequest): void;
  largeAnswerRefused(share: string): void;
  eventStreamRefused(share: string): void;
  connectionClosed(why: Closing): void;
  operations: OperationObserver;
  called: CallObserver;
  watch: WatchObserver;
  records: RecordsObserver;
  /** The number of encrypted values that no key can decrypt. */
  encryptedValues(unreadable: number): void;
  reconcilers: RunObserver;
  events: FeedObserver;
  /** Receives the attempts of deliveries to webhooks. */
  webhooks: AttemptObserver;
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
    help: 'Time to the end of the response. It includes the wait of Prefer: wait.',
    labelNames: ['method', 'route'],
    buckets: quick,
    registers,
  });
  const refused = new Counter({
    name: 'berth_http_large_answers_refused_total',
    help: 'Large responses that were refused, by the share that was used up: token, user, project, address, anonymous (all requests without a token) or all.',
    labelNames: ['share'],
    registers,
  });
  const refusedStreams = new Counter({
    name: 'berth_event_streams_refused_total',
    help: 'Streams of events that were refused, by the share that was used up: token, user, project or all.',
    labelNames: ['share'],
    registers,
  });
  const connections = new Counter({
    name: 'berth_http_connections_closed_total',
    help: 'Connections that were closed for lack of capacity: new ones because their address has its share (address) or no other connection could be closed (full), and idle ones that were replaced by a new one (idle).',
    labelNames: ['reason'],
    registers,
  });
  const operationSeconds = new Histogram({
    name: 'berth_operation_duration_seconds',
    help: 'Time from the request to the end of an operation, by the service whose worker ended it. Superseded and cancelled operations are not included.',
    labelNames: ['kind', 'outcome'],
    buckets: long,
    registers,
  });
  const retries = new Counter({
    name: 'berth_operation_step_retries_total',
    help: 'Steps of operations that failed and are retried.',
    labelNames: ['kind', 'step'],
    registers,
  });
  const calls = new Counter({
    name: 'berth_engine_calls_total',
    help: 'Calls to Incus. The outcome is ok, aborted by the caller, or the code of the error; not_found is often expected.',
    labelNames: ['method', 'path', 'outcome'],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'berth_engine_call_duration_seconds',
    help: 'Duration of a call to Incus, including the response. A call whose path ends in /wait waits for an operation of Incus.',
    labelNames: ['method', 'path'],
    buckets: quick,
    registers,
  });
  const led = new Gauge({
    name: 'berth_locations_led',
    help: 'Locations that this service watches and meters. The sum over all services is the number of locations.',
    registers,
  });
  const lag = new Histogram({
    name: 'berth_engine_event_lag_seconds',
    help: 'Time from the timestamp of an event in Incus until Berth received it. It includes the difference of the clocks.',
    buckets: quick,
    registers,
  });
  const sweepSeconds = new Histogram({
    name: 'berth_sweep_duration_seconds',
    help: 'Duration of the comparison of all servers and nodes of a location with Incus, by the service that watches it.',
    buckets: quick,
    registers,
  });
  const found = new Counter({
    name: 'berth_reconciler_findings_total',
    help: 'Differences that were found between Incus and the records.',
    labelNames: ['finding'],
    registers,
  });
  const removed = new Counter({
    name: 'berth_records_removed_total',
    help: 'Records that this service removed because of their age, whole months of the audit log; outputs_dropped: outputs beyond the quota of their project.',
    labelNames: ['what'],
    registers,
  });
  const kept = new Gauge({
    name: 'berth_retention_timestamp_seconds',
    help: 'Time at which this service last looked for records to remove, without an error.',
    registers,
  });
  const unconfined = new Gauge({
    name: 'berth_servers_unconfined',
    help: 'Servers that have been running since before their guests were prevented from creating subvolumes, by the service that watches their location. Their next start confines them.',
    labelNames: ['location'],
    registers,
  });
  const withSubvolumes = new Gauge({
    name: 'berth_servers_with_subvolumes',
    help: 'Servers whose disks have subvolumes, which the quota does not include, by the service that watches their location. Checked every hour. Absent if the service is not root, or the disks are on another machine.',
    labelNames: ['location'],
    registers,
  });
  const quotas = quotaObserver(registers);
  // Exists from the start, so that the first one is seen as an increase.
  for (const finding of findings) found.inc({ finding }, 0);
  for (const reason of closings) connections.inc({ reason }, 0);
  const unreadableValues = new Gauge({
    name: 'berth_encrypted_values_unreadable',
    help: 'Encrypted values in the database that no key of this service can decrypt. Checked every minute.',
    registers,
  });
  return {
    answered({ method, route, status, seconds }) {
      requests.inc({ method, route, status });
      requestSeconds.observe({ method, route }, seconds);
    },
    largeAnswerRefused: (share) => refused.inc({ share }),
    eventStreamRefused: (share) => refusedStreams.inc({ share }),
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
    encryptedValues: (unreadable) => unreadableValues.set(unreadable),
    reconcilers: reconcilerObserver(registry),
    events: eventObserver(registry),
    webhooks: webhookObserver(registry),
  };
}

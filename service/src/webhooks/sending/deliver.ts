import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import type { NotificationListener } from '../../db/notifications.ts';
import type { Keyring } from '../../keys/keyring.ts';
import { background } from '../../lib/background.ts';
import { createOutage } from '../../lib/outage.ts';
import type { FindApi } from '../../network-policy/api-addresses.ts';
import { defineReconciler } from '../../reconciler-runtime/define.ts';
import type { RunObserver } from '../../reconciler-runtime/observer.ts';
import { startReconcilers } from '../../reconciler-runtime/runner.ts';
import { addressCheck, type CheckAddress } from '../addresses.ts';
import type { TargetRules } from '../url.ts';
import { type Attempting, type AttemptObserver, attempt } from './attempt.ts';
import { dnsResolver, type ResolveName } from './connect.ts';
import { fanOut } from './fan-out.ts';
import { findLeased, type Leased, leaseDeliveries } from './lease-queries.ts';
import { ownNetworks } from './own-network-queries.ts';

/** How many deliveries this process attempts at the same time, most of which wait for their receivers. */
const concurrency = 64;
const pollMilliseconds = 1000;
const rememberedMs = 10_000;
/** What a stop leaves to attempts under way. */
const graceMilliseconds = 3000;

export interface DeliveryOptions {
  db: Db;
  notifications: Pick<NotificationListener, 'on'>;
  secretKey: Keyring;
  log: Logger;
  targets: TargetRules;
  /** Further networks that are the installation's own. */
  protectedAddresses: readonly string[];
  findApi: FindApi;
  observer?: AttemptObserver;
  runs?: RunObserver;
  resolve?: ResolveName;
  timeoutMs?: number;
}

interface Deliverer extends DeliveryOptions {
  /** The number of attempts that can begin now. */
  room(): number;
  /** Begins an attempt. */
  begin(leased: Leased, attempting: Attempting): void;
  resolve: ResolveName;
  /** The check of addresses, which knows those of the installation. */
  check(): Promise<CheckAddress>;
}

type Topic = 'events_written' | 'deliveries_due';

/** Makes deliveries of new events: on a notification at once, and by polling when one was missed. */
const plan = defineReconciler<Deliverer, Topic>({
  name: 'webhook-events',
  every: { milliseconds: pollMilliseconds, first: 'now', from: 'end' },
  on: ['events_written'],
  failure: 'Events could not be planned for webhooks. This will be retried.',
  async run({ db }, _, { signal, trigger }) {
    const done = await fanOut(db, signal);
    if (done.deliveries > 0) trigger('deliveries_due');
    return done;
  },
});

/** Attempts due deliveries while there is room. Several services do this at the same time, each with a part. */
const deliver = defineReconciler<Deliverer, Topic>({
  name: 'webhook-deliveries',
  every: { milliseconds: pollMilliseconds, first: 'now', from: 'end' },
  on: ['deliveries_due'],
  failure: 'Due deliveries of webhooks could not be attempted. This will be retried.',
  async run(deliverer, _, { signal }) {
    const { db } = deliverer;
    const room = deliverer.room();
    if (room <= 0 || signal.aborted) return { attempts: 0 };
    const check = await deliverer.check();
    const ids = await leaseDeliveries(db, room);
    for (const leased of await findLeased(db, ids))
      deliverer.begin(leased, { ...deliverer, check });
    return { attempts: ids.length };
  },
});

/**
 * The addresses of the installation change rarely, and the name of its API may take long to resolve, so that deliveries wait
 * for them only once.
 */
function rememberedCheck(options: DeliveryOptions): Deliverer['check'] {
  const { db, targets, protectedAddresses, findApi, log } = options;
  const report = (error: unknown) =>
    log.debug({ err: error }, 'The address of the API is unknown.');
  let known: CheckAddress | undefined;
  let refreshing: Promise<CheckAddress> | undefined;
  let refreshAt = 0;

  async function refresh(): Promise<CheckAddress> {
    const api = (await findApi(report)).map(({ ip }) => ip);
    const own = [...(await ownNetworks(db)), ...protectedAddresses, ...api];
    known = addressCheck({ allowed: targets.allowedNetworks, own });
    refreshAt = performance.now() + rememberedMs;
    return known;
  }

  return async () => {
    if (!refreshing && performance.now() >= refreshAt) {
      refreshing = refresh().finally(() => {
        refreshing = undefined;
      });
      // Whoever needs its result awaits it; otherwise the next delivery tries again.
      refreshing.catch(() => undefined);
    }
    return known ?? (await (refreshing ?? refresh()));
  };
}

/** Delivers events to webhooks until it is stopped. */
export function startDeliveries(options: DeliveryOptions): { stop(): Promise<void> } {
  const { notifications, log, runs } = options;
  const stopping = new AbortController();
  const cutting = new AbortController();
  const attempts = background();
  const outage = createOutage(log, {
    failed: 'The result of a delivery could not be recorded. It will be attempted again.',
    works: 'The results of deliveries are recorded again.',
  });
  let underWay = 0;

  async function attemptOne(leased: Leased, attempting: Attempting) {
    underWay += 1;
    try {
      await attempt(leased, attempting, cutting.signal);
      outage.worked();
    } finally {
      underWay -= 1;
      runner.trigger('deliveries_due');
    }
  }

  const deliverer: Deliverer = {
    ...options,
    resolve: options.resolve ?? dnsResolver(),
    check: rememberedCheck(options),
    room: () => concurrency - underWay,
    begin: (leased, attempting) =>
      attempts.run(() => attemptOne(leased, attempting), outage.failed),
  };
  const runner = startReconcilers<Deliverer, Topic>({
    reconcilers: [plan, deliver],
    subject: deliverer,
    ...{ signal: stopping.signal, log, observer: runs },
  });
  const off = notifications.on('events_written', () => runner.trigger('events_written'));
  return {
    async stop() {
      off();
      stopping.abort();
      await runner.stop();
      const cut = setTimeout(() => cutting.abort(), graceMilliseconds);
      await attempts.idle();
      clearTimeout(cut);
    },
  };
}

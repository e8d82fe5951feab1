import { installationId } from '../../db/queries.ts';
import { watchEvents } from '../../incus/events.ts';
import { connectionOf } from '../../locations/engines.ts';
import type { LocationRow } from '../../locations/queries.ts';
import { watchQuotas } from '../../pool-quotas/watch.ts';
import { type ReconcilerRunner, startReconcilers } from '../../reconciler-runtime/runner.ts';
import { createUsageCollector } from '../../usage/collect/collector.ts';
import { createMemberProbes } from '../members.ts';
import { createOrphanReconciler } from '../orphans.ts';
import { subvolumeCounter } from '../subvolumes.ts';
import { unpackMemory } from '../unpacked-images.ts';
import { hintsOf } from './hints.ts';
import { createReachability } from './reachability.ts';
import {
  type LocationSubject,
  type LocationTopic,
  lookFailed,
  type Shared,
  type Watching,
} from './subject.ts';
import { engine, instance, instances, membersAway, nodes } from './sync.ts';
import {
  allowances,
  engineVulnerabilities,
  images,
  leftUnpacking,
  networkPolicy,
  reachability,
  subnets,
  suspensions,
  trafficLimits,
  unpackedImages,
} from './upkeep.ts';
import { diskUsage, usage } from './usage.ts';

/**
 * All reconcilers of a location, except for those of its pool on this machine
 * (`pool-quotas/watch.ts`).
 */
const reconcilers = [
  ...[engine, membersAway, nodes, instances, instance],
  ...[
    reachability,
    networkPolicy,
    subnets,
    trafficLimits,
    images,
    unpackedImages,
    leftUnpacking,
    engineVulnerabilities,
    allowances,
    suspensions,
  ],
  ...[usage, diskUsage],
];

/**
 * Keeps the status of a location's servers current and counts their usage. Only one process of all
 * replicas watches a location. An event, or the end of an operation, triggers the sync of one
 * instance; each (re)connection and each minute triggers the sync of all.
 */
export async function watchLocation(
  watching: Watching & Shared,
  location: LocationRow,
  signal: AbortSignal,
): Promise<void> {
  await watching.leader.whileLeading(`watch location ${location.id}`, signal, (leading) =>
    watch(watching, location, leading),
  );
}

async function watch(watching: Watching & Shared, location: LocationRow, signal: AbortSignal) {
  const { db, log, instanceTriggers, observer, runs } = watching;
  const ours = await installationId(db);
  const trigger: Runner['trigger'] = (topic, key) => runner.trigger(topic, key);
  const subject = subjectOf({ watching, location, signal, ours, trigger });
  const runner: Runner = startReconcilers({
    ...{ reconcilers, subject, location: location.name, signal, log, observer: runs },
  });
  const unsubscribe = hearNotifications(watching, location, trigger);
  instanceTriggers.set(location.id, (name) => trigger('instance_changed', name));
  observer?.led(1);
  try {
    await hearEvents(subject, trigger);
  } finally {
    instanceTriggers.delete(location.id);
    for (const off of unsubscribe) off();
    await runner.stop();
    await Promise.all([subject.members.idle(), subject.quotas.stop()]);
    observer?.unconfined(location.name, undefined);
    observer?.withSubvolumes(location.name, undefined);
    observer?.led(-1);
  }
}

type Runner = ReconcilerRunner<LocationTopic>;

interface SubjectOptions {
  watching: Watching & Shared;
  location: LocationRow;
  signal: AbortSignal;
  /** The id of this installation. */
  ours: string;
  trigger: Runner['trigger'];
}

function subjectOf({ watching, location, signal, ours, trigger }: SubjectOptions): LocationSubject {
  const { db, engines, log, observer, poolQuotas, runs } = watching;
  const client = engines.of(location);
  const report = (error: unknown) => {
    if (!signal.aborted) log.warn({ err: error, location: location.name }, lookFailed);
  };
  const of = { db, client, locationId: location.id, signal, found: observer?.found, log, report };
  const { id, storage_pool: pool } = location;
  return {
    ...of,
    ...{ watching, location, installationId: ours },
    reachability: createReachability(of, engines.outageOf(location), () =>
      trigger('reachability_probed'),
    ),
    members: createMemberProbes(of, (to) => memberChanged(to, trigger), report),
    quotas: watchQuotas({ ...of, poolQuotas, observer, runs }, location),
    collector: createUsageCollector(watching, { id, pool, client }),
    reconcileOrphans: createOrphanReconciler({ installationId: ours, log }),
    countSubvolumes: subvolumeCounter(of, location, (servers) =>
      observer?.withSubvolumes(location.name, servers),
    ),
    unpacking: unpackMemory(),
  };
}

/** Runs what depends on a member of a cluster that has gone offline, or is back. */
export function memberChanged(to: 'online' | 'offline', trigger: Runner['trigger']): void {
  if (to === 'online') trigger('instances_outdated');
  trigger('member_changed');
}

/** Subscribes to notifications. Returns functions that unsubscribe. */
function hearNotifications(
  { notifications }: Watching,
  location: LocationRow,
  trigger: Runner['trigger'],
): (() => void)[] {
  return (['image_wanted', 'network_policy_wanted'] as const).map((topic) =>
    notifications.on(topic, ({ id }) => {
      if (id === location.id) trigger(topic);
    }),
  );
}

/** Triggers reconcilers by the engine's events until the signal is aborted. */
async function hearEvents(subject: LocationSubject, trigger: Runner['trigger']): Promise<void> {
  const { watching, location, signal, reachability, quotas } = subject;
  await watchEvents(connectionOf(location, watching.engines.identity), {
    types: ['lifecycle'],
    project: location.incus_project,
    signal,
    onConnect() {
      reachability.recordSuccess('events');
      trigger('connected');
    },
    onDisconnect: (reason) => reachability.recordFailure('events', reason),
    onEvent(event) {
      const seconds = (Date.now() - Date.parse(event.timestamp)) / 1000;
      watching.observer?.lagged(Math.max(0, seconds));
      const { changed, restored } = hintsOf(event);
      for (const name of changed) trigger('instance_changed', name);
      for (const name of restored) quotas.syncInstance(name);
    },
  });
}

import { installationId } from '../../db/queries.ts';
import { type LifecycleEvent, watchEvents } from '../../incus/events.ts';
import { connectionOf } from '../../locations/engines.ts';
import type { LocationRow } from '../../locations/queries.ts';
import { watchQuotas } from '../../pool-quotas/watch.ts';
import { type ReconcilerRunner, startReconcilers } from '../../reconciling/runner.ts';
import { createUsageCollector } from '../../usage/collect/collector.ts';
import { lookAtMembers } from '../members.ts';
import { orphanKeeper } from '../orphans.ts';
import { subvolumeCounter } from '../subvolumes.ts';
import { engine, instance, instances, membersAway, nodes } from './looks.ts';
import { createReachability } from './reachability.ts';
import {
  type LocationSubject,
  type LocationTopic,
  lookFailed,
  type Shared,
  type Watching,
} from './subject.ts';
import {
  allowances,
  engineHoles,
  images,
  networkPolicy,
  reachability,
  subnets,
  trafficLimits,
} from './upkeep.ts';
import { diskUsage, usage } from './usage.ts';

/** All of a location. Those of its pool on this machine are `pool-quotas/watch.ts`'s. */
const reconcilers = [
  ...[engine, membersAway, nodes, instances, instance],
  ...[reachability, networkPolicy, subnets, trafficLimits, images, engineHoles, allowances],
  ...[usage, diskUsage],
];

/**
 * Keeps the status of a location's servers true and counts what they use, in one process over all replicas: an event, or an
 * operation's end, is a hint to look at one instance; each (re)connection and each minute compares
 * them all.
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
  const { db, log, lookers, observer, runs } = watching;
  const ours = await installationId(db);
  const tell: Runner['tell'] = (topic, key) => runner.tell(topic, key);
  const subject = subjectOf({ watching, location, signal, ours, tell });
  const runner: Runner = startReconcilers({
    ...{ reconcilers, subject, location: location.name, signal, log, observer: runs },
  });
  const unsubscribe = hearNotifications(watching, location, tell);
  lookers.set(location.id, (name) => tell('instance_changed', name));
  observer?.led(1);
  try {
    await hearEvents(subject, tell);
  } finally {
    lookers.delete(location.id);
    for (const off of unsubscribe) off();
    await runner.end();
    await Promise.all([subject.members.idle(), subject.quotas.end()]);
    observer?.unconfined(location.name, undefined);
    observer?.withSubvolumes(location.name, undefined);
    observer?.led(-1);
  }
}

type Runner = ReconcilerRunner<LocationTopic>;

interface Making {
  watching: Watching & Shared;
  location: LocationRow;
  signal: AbortSignal;
  /** The id of this installation. */
  ours: string;
  tell: Runner['tell'];
}

function subjectOf({ watching, location, signal, ours, tell }: Making): LocationSubject {
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
    reach: createReachability(of, log, () => tell('reachability_seen')),
    members: lookAtMembers(of, (to) => memberChanged(to, tell), report),
    quotas: watchQuotas({ ...of, poolQuotas, observer, runs }, location),
    collector: createUsageCollector(watching, { id, pool, client }),
    keepOrphans: orphanKeeper({ installationId: ours, log }),
    countSubvolumes: subvolumeCounter(of, location, (servers) =>
      observer?.withSubvolumes(location.name, servers),
    ),
    warned: { holes: new Set(), others: '' },
  };
}

function memberChanged(to: 'online' | 'offline', tell: Runner['tell']): void {
  if (to === 'online') tell('instances_outdated');
  tell('member_changed');
}

/** Answers what ends it. */
function hearNotifications(
  { notifications }: Watching,
  location: LocationRow,
  tell: Runner['tell'],
): (() => void)[] {
  return (['image_wanted', 'network_policy_wanted'] as const).map((topic) =>
    notifications.on(topic, ({ id }) => {
      if (id === location.id) tell(topic);
    }),
  );
}

/** Until the signal aborts. */
async function hearEvents(subject: LocationSubject, tell: Runner['tell']): Promise<void> {
  const { watching, location, signal, reach, quotas } = subject;
  await watchEvents(connectionOf(location, watching.engines.identity), {
    types: ['lifecycle'],
    project: location.incus_project,
    signal,
    onConnect() {
      reach.answered('events');
      tell('connected');
    },
    onDisconnect: (reason) => reach.failed('events', reason),
    onEvent(event) {
      const seconds = (Date.now() - Date.parse(event.timestamp)) / 1000;
      watching.observer?.lagged(Math.max(0, seconds));
      if (event.type !== 'lifecycle') return;
      for (const name of namesOf(event)) tell('instance_changed', name);
      if (event.action === 'instance-restored' && event.instance) quotas.lookAt(event.instance);
    },
  });
}

/** Of the instance, and of what it was called before it was renamed. */
function namesOf({ instance: name, context }: LifecycleEvent): string[] {
  return [name, context.old_name].filter((one) => typeof one === 'string');
}

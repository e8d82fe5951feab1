import { databaseTime } from '../../db/queries.ts';
import { askPatiently } from '../../incus/transport/patience.ts';
import { nodeOfUnpack } from '../../instances/helpers.ts';
import { nodesWithStatus, recordAnswer } from '../../nodes/seen-queries.ts';
import type { RunContext } from '../../reconciler-runtime/define.ts';
import { createPace } from '../../reconciler-runtime/pace.ts';
import { reconcileConfinement } from '../confinement.ts';
import { syncDrift } from '../drift/drift.ts';
import { syncForeignInstances } from '../drift/foreign.ts';
import { syncNodes } from '../nodes.ts';
import { holdSuspendedServers } from '../suspensions.ts';
import { reconcileThrottles } from '../throttles.ts';
import { syncAllInstances, syncInstance } from '../truth.ts';
import { syncUnknownInstances } from '../unknown-instances.ts';
import { define, type LocationSubject, type LocationTopic } from './subject.ts';

// Reconcilers that observe the engine, its members and its instances.

const defaultSweepMilliseconds = 60_000;
/** The pause between two probes, unless a test shortens it. */
export const defaultPingMilliseconds = 5000;
/**
 * Unreachable members are probed more often, at this share of the interval, so that their servers
 * are seen again soon.
 */
const awayShare = 0.4;

const pingMilliseconds = ({ watching }: LocationSubject) =>
  watching.pingMilliseconds ?? defaultPingMilliseconds;

/** The first run is at a random time, so that locations are not all compared at once. */
export const eachSweep = ({ watching }: LocationSubject) => {
  const { sweepMilliseconds: milliseconds = defaultSweepMilliseconds } = watching;
  return { milliseconds, first: 'random' } as const;
};

/**
 * The maximum number of instances that are read at the same time. Thousands can change in a second, such as when a
 * configuration is changed for all of them, and their queries would delay those of requests. One that is missing waits
 * 1.5 s for its second reading.
 */
const instancesAtOnce = 64;

/** Incus may fail to answer about an instance that is changing its state. */
export const instance = define({
  name: 'instance',
  on: ['instance_changed'],
  atOnce: instancesAtOnce,
  retry: { times: 4, pauseMilliseconds: 500 },
  onFailure: 'instance_sync_failed',
  async run(subject, name, { trigger }) {
    await syncInstance(subject, name);
    trigger('statuses_recorded');
  },
});

export const engine = define({
  name: 'engine',
  every: (subject) => ({ milliseconds: pingMilliseconds(subject) }),
  async run({ db, client, location, signal, reachability, members }, _, { trigger }) {
    const hadFailed = reachability.hasFailed('ping', 'nodes', 'instances');
    const [known] = await nodesWithStatus(db, location.id, 'online');
    const ping = askPatiently((options) => client.server.info(undefined, options), signal);
    const { isSlow } = await reachability.record('ping', ping, signal);
    if (hadFailed) trigger('engine_recovered');
    if (known?.member === null) await recordAnswer(db, location.id, { ...known, isSlow });
    else await members.run('online');
  },
});

export const membersAway = define({
  name: 'members-away',
  every: (subject) => ({ milliseconds: pingMilliseconds(subject) * awayShare }),
  async run({ members }) {
    await members.run('offline');
  },
});

/**
 * Runs before each comparison and not as part of it: Incus lists no instances until it has given up
 * on a silent member.
 */
export const nodes = define({
  name: 'nodes',
  every: eachSweep,
  on: ['connected', 'instance_sync_failed', 'engine_recovered', 'member_changed'],
  async run(subject, _, { trigger }) {
    const { reachability, location, signal } = subject;
    const looked = syncNodes({ ...subject, pool: location.storage_pool });
    const isAnyBack = await reachability.record('nodes', looked, signal);
    if (isAnyBack) trigger('instances_outdated');
    trigger('nodes_synced');
  },
});

/**
 * The lists of all instances are large, and after a start all locations are to be compared. Incus lists none before it
 * has given up on a silent member.
 */
const inPace = createPace({ atOnce: 1, patienceMilliseconds: 2000 });

/** Compares all instances of a location with all its servers. */
export const instances = define({
  name: 'instances',
  on: ['nodes_synced'],
  abortOn: ['instances_outdated'],
  run: (subject, _, context) => inPace(() => compareInstances(subject, context)),
});

async function compareInstances(
  subject: LocationSubject,
  { signal, trigger }: RunContext<LocationTopic>,
) {
  const { location, reachability, installationId, reconcileOrphans, countSubvolumes, quotas } =
    subject;
  const { observer } = subject.watching;
  const begun = performance.now();
  const readAt = await databaseTime(subject.db);
  const listed = syncAllInstances({ ...subject, signal });
  const found = await reachability.record('instances', listed, signal);
  for (const { name, status } of found) {
    // `Error`: its member does not answer, so that nothing can be done now.
    if (nodeOfUnpack(name) !== undefined && status !== 'Error') trigger('unpacking_seen', name);
  }
  trigger('statuses_recorded');
  await syncUnknownInstances(subject, installationId, found);
  await reconcileOrphans(subject, found);
  await reconcileThrottles(subject, found);
  await holdSuspendedServers(subject, found);
  const unconfined = await reconcileConfinement(subject, found);
  observer?.unconfined(location.name, unconfined);
  const drift = await syncDrift(subject, installationId, readAt, found);
  await syncForeignInstances(subject, installationId, readAt);
  await countSubvolumes(found);
  observer?.swept((performance.now() - begun) / 1000);
  await quotas.compare(found);
  return { instances: found.length, unconfined, drift };
}

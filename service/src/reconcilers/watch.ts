import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import type { Leader } from '../db/locks/leader.ts';
import type { NotificationListener } from '../db/notifications.ts';
import { installationId } from '../db/queries.ts';
import type { ImageDirectories } from '../images/images.ts';
import { importWantedImages } from '../images/importer.ts';
import { type LifecycleEvent, watchEvents } from '../incus/events.ts';
import { EngineError, isRefusal } from '../incus/transport/errors.ts';
import { askPatiently } from '../incus/transport/patience.ts';
import { pause } from '../lib/pause.ts';
import { serialised } from '../lib/serialised.ts';
import { connectionOf, type Engines } from '../locations/engines.ts';
import { type LocationRow, setReachability } from '../locations/queries.ts';
import type { FindApi } from '../network-policy/api-addresses.ts';
import { unbounded } from '../network-policy/others.ts';
import { knownHolesNote } from '../nodes/known-holes.ts';
import { nodesThatWere, setAnswered } from '../nodes/seen-queries.ts';
import type { PoolQuotas } from '../pool-quotas/pool-quotas.ts';
import { type QuotaObserver, watchQuotas } from '../pool-quotas/watch.ts';
import { collectOnTime, createUsageCollector } from '../usage/collect/collector.ts';
import type { CountRunning } from '../usage/collect/running.ts';
import { keepAllowances } from './allowances.ts';
import { keepConfined } from './confinement.ts';
import { lookAtMembers } from './members.ts';
import { keepNetworkPolicy } from './network-policy.ts';
import { lookAtNodes } from './nodes.ts';
import { orphanKeeper } from './orphans.ts';
import { enterSubnets } from './subnets.ts';
import { subvolumeCounter } from './subvolumes.ts';
import { keepThrottles } from './throttles.ts';
import { tryTrafficLimits } from './traffic-limits.ts';
import { type Finding, lookAtInstance, type Subject, sweepLocation } from './truth.ts';
import { enterUnknown } from './unknown-instances.ts';

const defaultSweepMilliseconds = 60_000;
const reachabilityMilliseconds = 5000;
const defaultPingMilliseconds = 5000;
/** Those that were away are asked more often, by this share of the time: their servers are to be seen again soon. */
const awayShare = 0.4;
const mostLooks = 5;
const lookAgainMilliseconds = 500;
/** Of one kind in a row, before the engine counts as away: once may be chance, or a moment of much work. */
const mostFailures = 3;
const unknownTrouble = 'The service could not look at it; its log says why.';

/** Told by the process that watches a location. */
export interface WatchObserver extends QuotaObserver {
  /** It watches one location more, or one less. */
  led(change: 1 | -1): void;
  /** Of an event of the engine: how long it took to get here. */
  lagged(seconds: number): void;
  /** All servers of a location were compared with the engine. */
  swept(seconds: number): void;
  found(finding: Finding, count: number): void;
  /** So many servers of a location run and are not confined; undefined once it is watched no longer. */
  unconfined(location: string, count: number | undefined): void;
  /** So many servers of a location have subvolumes in their disks; undefined where that is not known. */
  withSubvolumes(location: string, count: number | undefined): void;
}

export interface Watching {
  db: Db;
  leader: Leader;
  engines: Engines;
  notifications: NotificationListener;
  log: Logger;
  /** Where servers find the API. */
  findApi: FindApi;
  /** What no server reaches beside what is known of nodes and services: addresses and networks. */
  protectedAddresses: readonly string[];
  /** Where images are built. */
  imageDirectories: ImageDirectories;
  imageServers: readonly string[];
  poolQuotas: PoolQuotas;
  /** Between two comparisons of everything. */
  sweepMilliseconds?: number;
  /** Between two looks at whether the engine, and each member of a cluster, is there. */
  pingMilliseconds?: number;
  observer?: WatchObserver;
}

/** What all locations that a process watches have in common. */
export interface Shared {
  /** Who looks at an instance of a location, by the location's id. */
  lookers: Map<number, (instance: string) => void>;
  running: CountRunning;
}

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
  const { db, engines, log, notifications, lookers } = watching;
  const { observer, sweepMilliseconds = defaultSweepMilliseconds } = watching;
  const { pingMilliseconds = defaultPingMilliseconds } = watching;
  const client = engines.of(location);
  const subject = { db, client, locationId: location.id, signal, found: observer?.found };
  const report = (error: unknown) => {
    if (!signal.aborted)
      log.warn({ err: error, location: location.name }, 'Looking at the engine failed.');
  };
  const reach = reachability(subject, log, report);
  const noting =
    (sign: Sign) =>
    (error: unknown): never => {
      if (error instanceof EngineError) reach.failed(sign, error);
      throw error;
    };
  const lookAtAll = (error: unknown) => {
    report(error);
    nodes.run('all');
  };
  // Whether one instance can't be looked at, or none, is seen by looking at all.
  const look = serialised((name) => lookUntilSeen(subject, name, report), lookAtAll);
  const ours = await installationId(db);
  const keepOrphans = orphanKeeper({ installationId: ours, log });
  // Not within a sweep: Incus lists no instances before it gives a silent member up.
  const nodes = serialised(async () => {
    const looked = lookAtNodes({ ...subject, pool: location.storage_pool, report });
    const isAnyBack = await looked.catch(noting('nodes'));
    reach.answered('nodes');
    policy.run('all');
    limits.run('all');
    subnets.run('all');
    // A sweep that waits for one that is back would say later how its servers are.
    if (isAnyBack) outdated.abort();
    sweep.run('all');
  }, report);
  let toldOfOthers = '';
  const countSubvolumes = subvolumeCounter({ client, log, signal }, location, (servers) =>
    observer?.withSubvolumes(location.name, servers),
  );
  const policy = serialised(async () => {
    const { findApi, protectedAddresses } = watching;
    const others = await keepNetworkPolicy({ ...subject, report, findApi, protectedAddresses });
    const words = others.length > 0 ? unbounded(location.network, others) : '';
    if (words && words !== toldOfOthers) log.warn({ location: location.name }, words);
    toldOfOthers = words;
  }, report);
  const subnets = serialised(() => enterSubnets(subject, location), report);
  const limits = serialised(() => tryTrafficLimits({ ...subject, report }, location), report);
  const { poolQuotas } = watching;
  const quotas = watchQuotas({ ...subject, poolQuotas, log, observer, report }, location);
  let outdated = new AbortController();
  const sweep = serialised(async () => {
    outdated = new AbortController();
    const until = AbortSignal.any([signal, outdated.signal]);
    const begun = performance.now();
    const listed = sweepLocation({ ...subject, signal: until });
    const instances = await listed.catch((error) => {
      return until.aborted ? undefined : noting('instances')(error);
    });
    if (!instances) return;
    reach.answered('instances');
    await enterUnknown(subject, ours, instances);
    await keepOrphans(subject, instances);
    await keepThrottles({ ...subject, log }, instances);
    const unconfined = await keepConfined({ client, log, signal }, instances);
    observer?.unconfined(location.name, unconfined);
    await countSubvolumes(instances);
    observer?.swept((performance.now() - begun) / 1000);
    await quotas.compare(instances);
  }, report);
  const ping = serialised(async () => {
    const isInDoubt = reach.isInDoubt('answers', 'nodes', 'instances');
    const [known] = await nodesThatWere(db, location.id, 'online');
    const look = askPatiently((options) => client.server.info(undefined, options), signal);
    const { isSlow } = await look.catch(noting('answers'));
    reach.answered('answers');
    if (isInDoubt) nodes.run('all');
    if (known?.member === null) await setAnswered(db, location.id, { ...known, isSlow });
    else await members.run('online');
  }, report);
  const pingAway = serialised(() => members.run('offline'), report);
  const members = lookAtMembers(subject, allIsToBeLookedAt, report);
  function allIsToBeLookedAt(to: 'online' | 'offline'): void {
    if (to === 'online') outdated.abort();
    nodes.run('all');
  }
  const { imageDirectories: directories, imageServers } = watching;
  const images = serialised(async () => {
    await importWantedImages({ ...subject, directories, imageServers, log });
  }, report);
  const warned = new Set<string>();
  const warnOfHoles = serialised(async () => {
    const { server_version } = (await client.server.info(undefined, { signal })).environment;
    const note = knownHolesNote(server_version);
    if (note === undefined || warned.has(note)) return;
    warned.add(note);
    log.warn({ location: location.name }, note);
  }, report);
  const everything = () => {
    nodes.run('all');
    images.run('all');
  };
  // At a time of its own: the locations are not all to be compared at once.
  let timer = setTimeout(() => {
    everything();
    timer = setInterval(everything, sweepMilliseconds);
  }, Math.random() * sweepMilliseconds);
  const pings = setInterval(() => ping.run('all'), pingMilliseconds);
  const pingsAway = setInterval(() => pingAway.run('all'), pingMilliseconds * awayShare);
  const { id, storage_pool: pool } = location;
  const collector = createUsageCollector(watching, { id, pool, client });
  // Beside the counting, which does not wait for the engine to do what an allowance means.
  const allowances = serialised(() => keepAllowances({ ...subject, log }), report);
  const counting = collectOnTime(collector, {
    log,
    signal,
    afterCounting: () => allowances.run('all'),
  });
  const offImages = notifications.on('image_wanted', ({ id }) => {
    if (id === location.id) images.run('all');
  });
  const offPolicy = notifications.on('network_policy_wanted', ({ id }) => {
    if (id === location.id) policy.run('all');
  });
  lookers.set(location.id, look.run);
  observer?.led(1);
  try {
    await watchEvents(connectionOf(location, engines.identity), {
      types: ['lifecycle'],
      project: location.incus_project,
      signal,
      onConnect() {
        reach.answered('events');
        everything();
        warnOfHoles.run('all');
      },
      onDisconnect(reason) {
        reach.failed('events', reason);
      },
      onEvent(event) {
        observer?.lagged(Math.max(0, Date.now() - Date.parse(event.timestamp)) / 1000);
        if (event.type !== 'lifecycle') return;
        for (const name of namesOf(event)) look.run(name);
        if (event.action === 'instance-restored' && event.instance) quotas.lookAt(event.instance);
      },
    });
  } finally {
    clearInterval(timer);
    clearInterval(pings);
    clearInterval(pingsAway);
    lookers.delete(location.id);
    offImages();
    offPolicy();
    await Promise.all([look.idle(), ping.idle(), pingAway.idle(), images.idle(), counting]);
    await members.idle();
    // What those may have begun.
    await Promise.all([nodes.idle(), allowances.idle(), warnOfHoles.idle()]);
    await Promise.all([sweep.idle(), policy.idle(), limits.idle(), subnets.idle()]);
    await Promise.all([quotas.end(), reach.end()]);
    observer?.unconfined(location.name, undefined);
    observer?.withSubvolumes(location.name, undefined);
    observer?.led(-1);
  }
}

/** Of the instance, and of what it was called before it was renamed. */
function namesOf({ instance, context }: LifecycleEvent): string[] {
  const names = [instance, context.old_name];
  return names.filter((name) => typeof name === 'string');
}

/** The engine may stumble over an instance that is on its way from one state to another. */
async function lookUntilSeen(subject: Subject, name: string, report: (error: unknown) => void) {
  for (let looks = 1; looks < mostLooks && !subject.signal.aborted; looks += 1) {
    try {
      return await lookAtInstance(subject, name);
    } catch (error) {
      report(error);
      await pause(lookAgainMilliseconds, subject.signal);
    }
  }
  await lookAtInstance(subject, name);
}

/** What tells whether an engine can be asked: its stream of events, that it answers, and what about. */
type Sign = 'events' | 'answers' | 'nodes' | 'instances';

/**
 * Enters whether the engine can be asked, and that somebody watches: in order, and again while the
 * database could not take it. It can't be where it refuses, where three looks in a row were answered by
 * silence (`askPatiently`), and where the same has failed three times in a row.
 */
function reachability({ db, locationId }: Subject, log: Logger, report: (error: unknown) => void) {
  const troubles = new Map<Sign, string | null>();
  const failures = new Map<Sign, number>();
  const entering = serialised(async () => {
    if (!troubles.has('events')) return;
    const reasons = [...troubles.values()];
    await setReachability(db, locationId, reasons.find((reason) => reason !== null) ?? null);
  }, report);
  const timer = setInterval(() => entering.run('all'), reachabilityMilliseconds);
  return {
    answered(sign: Sign) {
      failures.delete(sign);
      troubles.set(sign, null);
      entering.run('all');
    },
    failed(sign: Sign, error: unknown) {
      const inARow = (failures.get(sign) ?? 0) + 1;
      failures.set(sign, inARow);
      // The one look of these is three.
      const isSure = sign === 'answers' || isRefusal(error) || inARow >= mostFailures;
      if (!isSure) return;
      const reason = error instanceof EngineError ? error.publicMessage : unknownTrouble;
      // Anyone may see the location: what Incus itself said is for the log, once.
      if (troubles.get(sign) !== reason) {
        const said = error instanceof Error ? error.message : String(error);
        log.warn({ locationId, sign, reason: said }, 'The engine of a location can not be asked.');
      }
      troubles.set(sign, reason);
      entering.run('all');
    },
    isInDoubt: (...signs: Sign[]) => signs.some((sign) => failures.has(sign)),
    async end() {
      clearInterval(timer);
      await entering.idle();
    },
  };
}

import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import type { Leader } from '../db/leader.ts';
import type { NotificationListener } from '../db/notifications.ts';
import { installationId } from '../db/queries.ts';
import { EngineError } from '../incus/errors.ts';
import { type LifecycleEvent, watchEvents } from '../incus/events.ts';
import { connectionOf, type Engines } from '../locations/engines.ts';
import { type LocationRow, setReachability } from '../locations/queries.ts';
import type { FindApi } from '../network-policy/api-addresses.ts';
import { importWantedImages } from '../operating-systems/importer.ts';
import { pause } from '../pause.ts';
import { serialised } from '../serialised.ts';
import { collectOnTime, createUsageCollector } from '../usage/collector.ts';
import type { CountRunning } from '../usage/running.ts';
import { keepAllowances, keepThrottles } from './allowances.ts';
import { keepNetworkPolicy } from './network-policy.ts';
import { haveMembersChanged, lookAtNodes } from './nodes.ts';
import { orphanKeeper } from './orphans.ts';
import { type Finding, lookAtInstance, type Subject, sweepLocation } from './truth.ts';

const defaultSweepMilliseconds = 60_000;
const reachabilityMilliseconds = 5000;
const defaultPingMilliseconds = 5000;
const pingSeconds = 5;
/** Those that were away are asked more often, by this share of the time: their servers are to be seen again soon. */
const awayShare = 0.4;
const mostLooks = 5;
const lookAgainMilliseconds = 500;

/** Told by the process that watches a location. */
export interface WatchObserver {
  /** It watches one location more, or one less. */
  led(change: 1 | -1): void;
  /** Of an event of the engine: how long it took to get here. */
  lagged(seconds: number): void;
  /** All servers of a location were compared with the engine. */
  swept(seconds: number): void;
  found(finding: Finding, count: number): void;
}

export interface Watching {
  db: Db;
  leader: Leader;
  engines: Engines;
  notifications: NotificationListener;
  log: Logger;
  /** Where servers find the API. */
  findApi: FindApi;
  /** Where images are built. */
  workDir: string;
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
  const reach = reachability(subject, report);
  const noting =
    (sign: Sign) =>
    (error: unknown): never => {
      if (error instanceof EngineError) reach.is(sign, error.message);
      throw error;
    };
  const lookAtAll = (error: unknown) => {
    report(error);
    nodes.run('all');
  };
  // Whether one instance can't be looked at, or none, is seen by looking at all.
  const look = serialised((name) => lookUntilSeen(subject, name, report), lookAtAll);
  const keepOrphans = orphanKeeper({ installationId: await installationId(db), log });
  // Not within a sweep: Incus lists no instances before it gives a silent member up.
  const nodes = serialised(async () => {
    const looked = lookAtNodes({ ...subject, pool: location.storage_pool, report });
    const isAnyBack = await looked.catch(noting('nodes'));
    reach.is('nodes', null);
    policy.run('all');
    // A sweep that waits for one that is back would say later how its servers are.
    if (isAnyBack) outdated.abort();
    sweep.run('all');
  }, report);
  const policy = serialised(() => {
    return keepNetworkPolicy({ ...subject, report, findApi: watching.findApi });
  }, report);
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
    reach.is('instances', null);
    await keepOrphans(subject, instances);
    await keepThrottles({ ...subject, log }, instances);
    observer?.swept((performance.now() - begun) / 1000);
  }, report);
  const ping = serialised(async () => {
    if (reach.trouble('nodes', 'instances') !== null) return nodes.run('all');
    const options = { signal, timeoutSeconds: pingSeconds };
    await client.server.info(undefined, options).catch(noting('nodes'));
    if (await haveMembersChanged(subject, 'online')) nodes.run('all');
  }, report);
  const pingAway = serialised(async () => {
    if (await haveMembersChanged(subject, 'offline')) nodes.run('all');
  }, report);
  const { workDir } = watching;
  const images = serialised(async () => {
    await importWantedImages({ ...subject, workDir, log });
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
  const collector = createUsageCollector(watching, { id: location.id, client: subject.client });
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
        reach.is('events', null);
        everything();
      },
      onDisconnect(reason) {
        reach.is('events', reason instanceof Error ? reason.message : String(reason));
      },
      onEvent(event) {
        observer?.lagged(Math.max(0, Date.now() - Date.parse(event.timestamp)) / 1000);
        if (event.type === 'lifecycle') for (const name of namesOf(event)) look.run(name);
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
    // What those may have begun.
    await Promise.all([nodes.idle(), allowances.idle()]);
    await Promise.all([sweep.idle(), policy.idle()]);
    await reach.end();
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

/** What tells whether an engine can be asked: its stream of events, and its answers about either. */
type Sign = 'events' | 'nodes' | 'instances';

/**
 * Enters whether the engine can be asked, and that somebody watches: in order, and again while the
 * database could not take it.
 */
function reachability({ db, locationId }: Subject, report: (error: unknown) => void) {
  const troubles = new Map<Sign, string | null>();
  const trouble = (...signs: Sign[]) =>
    signs.map((sign) => troubles.get(sign) ?? null).find((reason) => reason !== null) ?? null;
  const entering = serialised(async () => {
    if (!troubles.has('events')) return;
    await setReachability(db, locationId, trouble('events', 'nodes', 'instances'));
  }, report);
  const timer = setInterval(() => entering.run('all'), reachabilityMilliseconds);
  return {
    is(sign: Sign, reason: string | null) {
      troubles.set(sign, reason);
      entering.run('all');
    },
    trouble,
    async end() {
      clearInterval(timer);
      await entering.idle();
    },
  };
}

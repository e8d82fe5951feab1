import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import type { Leader } from '../../db/locks/leader.ts';
import type { NotificationListener } from '../../db/notifications.ts';
import type { ImageDirectories } from '../../images/images.ts';
import type { Engines } from '../../locations/engines.ts';
import type { LocationRow } from '../../locations/queries.ts';
import type { FindApi } from '../../network-policy/api-addresses.ts';
import type { PoolQuotas } from '../../pool-quotas/pool-quotas.ts';
import type { QuotaObserver, QuotaWatch } from '../../pool-quotas/watch.ts';
import { defineReconciler, type Reconciler } from '../../reconciler-runtime/define.ts';
import type { RunObserver } from '../../reconciler-runtime/observer.ts';
import type { UsageCollector } from '../../usage/collect/collector.ts';
import type { CountRunning } from '../../usage/collect/running.ts';
import type { MemberLooks } from '../members.ts';
import type { orphanKeeper } from '../orphans.ts';
import type { subvolumeCounter } from '../subvolumes.ts';
import type { Finding, Subject } from '../truth.ts';
import type { Reachability } from './reachability.ts';

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
  /** Told of the runs of all reconcilers. */
  runs?: RunObserver;
}

/** What all locations that a process watches have in common. */
export interface Shared {
  /** Triggers the sync of an instance, by the id of its location. */
  instanceTriggers: Map<number, (instance: string) => void>;
  running: CountRunning;
}

/** Events of a location that trigger its reconcilers. */
export type LocationTopic =
  /** The stream of the engine's events is open, for the first time or again. */
  | 'connected'
  /** The key is the name of the instance. */
  | 'instance_changed'
  /** One instance could not be synced: a sync of all shows whether any can. */
  | 'instance_sync_failed'
  /** The engine answers, after something that was asked of it has failed. */
  | 'engine_recovered'
  /** A member of the cluster went away, or came back. */
  | 'member_changed'
  | 'nodes_synced'
  /** A member came back: a sweep that waits for it would show its servers later than a new one. */
  | 'instances_outdated'
  | 'usage_collected'
  /** What is known of the engine's reachability has changed, or was confirmed. */
  | 'reachability_probed'
  | 'image_wanted'
  | 'network_policy_wanted';

/** A location while this process watches it, with what its reconcilers remember between runs. */
export interface LocationSubject extends Subject {
  watching: Watching;
  location: LocationRow;
  installationId: string;
  log: Logger;
  /** Logs an error that does not end the run. */
  report(error: unknown): void;
  reachability: Reachability;
  members: MemberLooks;
  quotas: QuotaWatch;
  collector: UsageCollector;
  keepOrphans: ReturnType<typeof orphanKeeper>;
  countSubvolumes: ReturnType<typeof subvolumeCounter>;
  warned: {
    /** Notes about the engine's releases that were logged. */
    vulnerabilities: Set<string>;
    /** The last warning about others whom the network is open for; empty: there are none. */
    others: string;
  };
}

export const lookFailed = 'Looking at the engine failed.';

/** A reconciler of a location. */
export const define = (
  reconciler: Omit<Reconciler<LocationSubject, LocationTopic>, 'failure'>,
): Reconciler<LocationSubject, LocationTopic> =>
  defineReconciler({ failure: lookFailed, ...reconciler });

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
import type { MemberProbes } from '../members.ts';
import type { createOrphanReconciler } from '../orphans.ts';
import type { subvolumeCounter } from '../subvolumes.ts';
import type { Finding, Subject } from '../truth.ts';
import type { UnpackMemory } from '../unpacked-images.ts';
import type { Reachability } from './reachability.ts';
import type { Told } from './told.ts';

/** Receives what the process that watches a location measures. */
export interface WatchObserver extends QuotaObserver {
  /** The process watches one location more, or one less. */
  led(change: 1 | -1): void;
  /** Delay between an event of the engine and its arrival here. */
  lagged(seconds: number): void;
  /** Duration of a comparison of all servers of a location with the engine. */
  swept(seconds: number): void;
  found(finding: Finding, count: number): void;
  /**
   * How many running servers of a location are not confined; undefined once it is no longer
   * watched.
   */
  unconfined(location: string, count: number | undefined): void;
  /**
   * How many servers of a location have subvolumes in their disks; undefined if that is not known.
   */
  withSubvolumes(location: string, count: number | undefined): void;
}

export interface Watching {
  db: Db;
  leader: Leader;
  engines: Engines;
  notifications: NotificationListener;
  log: Logger;
  /** Finds the addresses at which servers reach the API. */
  findApi: FindApi;
  /**
   * Addresses and networks that servers must not reach, in addition to known nodes and services.
   */
  protectedAddresses: readonly string[];
  /** Directories in which images are built. */
  imageDirectories: ImageDirectories;
  imageServers: readonly string[];
  poolQuotas: PoolQuotas;
  /** Interval between two comparisons of all instances. */
  sweepMilliseconds?: number;
  /** Interval between two pings of the engine and of each member of a cluster. */
  pingMilliseconds?: number;
  observer?: WatchObserver;
  /** Receives the runs of all reconcilers. */
  runs?: RunObserver;
}

/** What all locations that a process watches share. */
export interface Shared {
  /** Triggers the sync of an instance, by the id of its location. */
  instanceTriggers: Map<number, (instance: string) => void>;
  running: CountRunning;
  told: Told;
}

/** Events of a location that trigger its reconcilers. */
export type LocationTopic =
  /** The event stream of the engine was opened, for the first time or again. */
  | 'connected'
  /** The key is the name of the instance. */
  | 'instance_changed'
  /** Syncing one instance failed. Syncing all shows whether the engine can be reached. */
  | 'instance_sync_failed'
  /** The engine answers again after a call to it had failed. */
  | 'engine_recovered'
  /** A member of the cluster became unreachable, or reachable again. */
  | 'member_changed'
  | 'nodes_synced'
  /** The statuses of one server, or of all, were recorded as the engine shows them. */
  | 'statuses_recorded'
  /**
   * A member is back. A new sync shows its servers earlier than the one that is still waiting for
   * it.
   */
  | 'instances_outdated'
  | 'usage_collected'
  /** A probe has changed or confirmed what is known of the engine's reachability. */
  | 'reachability_probed'
  | 'image_wanted'
  /** No image is wanted that the location does not have, unless it can't be had now. */
  | 'images_imported'
  /** An instance that unpacks an image is there. The key is its name. */
  | 'unpacking_seen'
  | 'network_policy_wanted';

/** A location while this process watches it, with what its reconcilers remember between runs. */
export interface LocationSubject extends Subject {
  watching: Watching & Pick<Shared, 'told'>;
  location: LocationRow;
  installationId: string;
  log: Logger;
  /** Logs an error that does not end the run. */
  report(error: unknown): void;
  reachability: Reachability;
  members: MemberProbes;
  quotas: QuotaWatch;
  collector: UsageCollector;
  reconcileOrphans: ReturnType<typeof createOrphanReconciler>;
  countSubvolumes: ReturnType<typeof subvolumeCounter>;
  unpacking: UnpackMemory;
}

export const lookFailed = 'Looking at the engine failed.';

/** A reconciler of a location. */
export const define = (
  reconciler: Omit<Reconciler<LocationSubject, LocationTopic>, 'failure'>,
): Reconciler<LocationSubject, LocationTopic> =>
  defineReconciler({ failure: lookFailed, ...reconciler });

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
import { defineReconciler, type Reconciler } from '../../reconciling/define.ts';
import type { RunObserver } from '../../reconciling/observer.ts';
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
  /** Who looks at an instance of a location, by the location's id. */
  lookers: Map<number, (instance: string) => void>;
  running: CountRunning;
}

/** What happens at a location that makes its reconcilers run. */
export type LocationTopic =
  /** The events of the engine can be heard, for the first time or again. */
  | 'connected'
  /** The key is an instance's name. */
  | 'instance_changed'
  /** An instance could not be looked at: whether none can is seen by looking at all. */
  | 'instance_unread'
  /** The engine answers, and something that was asked of it before has failed. */
  | 'engine_doubted'
  /** A member of the cluster is gone, or is back. */
  | 'member_changed'
  | 'nodes_read'
  /** A member is back: a sweep that waits for it would say later how its servers are. */
  | 'instances_outdated'
  /** Usage was counted. */
  | 'counted'
  /** Whether the engine can be asked was seen. */
  | 'reachability_seen'
  | 'image_wanted'
  | 'network_policy_wanted';

/** A location as long as this process watches it, and what its reconcilers remember meanwhile. */
export interface LocationSubject extends Subject {
  watching: Watching;
  location: LocationRow;
  installationId: string;
  log: Logger;
  /** Of what one run could not look at, while it goes on. */
  report(error: unknown): void;
  reach: Reachability;
  members: MemberLooks;
  quotas: QuotaWatch;
  collector: UsageCollector;
  keepOrphans: ReturnType<typeof orphanKeeper>;
  countSubvolumes: ReturnType<typeof subvolumeCounter>;
  warned: {
    /** Of holes in the engine's version. */
    holes: Set<string>;
    /** For whom else the network is open; empty: for nobody. */
    others: string;
  };
}

export const lookFailed = 'Looking at the engine failed.';

/** A reconciler of a location. */
export const define = (
  reconciler: Omit<Reconciler<LocationSubject, LocationTopic>, 'failure'>,
): Reconciler<LocationSubject, LocationTopic> =>
  defineReconciler({ failure: lookFailed, ...reconciler });

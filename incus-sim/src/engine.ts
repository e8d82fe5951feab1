import { createEvents, type Events } from './events.ts';
import type { Session } from './exec.ts';
import { createFaults, type FaultBook } from './faults.ts';
import { createModel, type Model } from './model.ts';
import { createOperations, type Operations } from './operations.ts';

/** How long actions take, in milliseconds. */
export interface Timing {
  create: number;
  /** The additional time for the first create from an image on a pool. */
  unpack: number;
  start: number;
  stop: number;
  delete: number;
  /** Moving to another member, with its disk. */
  migrate: number;
  /** From a start until the guest has addresses. */
  network: number;
  /** From a start until the guest has booted and runs its handover. */
  boot: number;
  shutdown: number;
  /** The download of an image. */
  download: number;
  /**
   * Until the creation of an instance that another Incus should send is given up; 30 s in Incus.
   */
  receive: number;
}

/** Timing for tests. */
export const quick: Timing = {
  create: 10,
  unpack: 10,
  start: 10,
  stop: 10,
  delete: 10,
  migrate: 10,
  network: 20,
  boot: 50,
  shutdown: 20,
  download: 20,
  receive: 5000,
};

export interface EngineOptions {
  /** The members of the cluster; none without a cluster. The first is the one that answers. */
  members?: readonly string[];
  timing?: Partial<Timing>;
  /** Image servers that answer, by host and port. */
  imageServers?: readonly string[];
  /** The version that Incus reports. */
  version?: string;
  cores?: number;
  memoryBytes?: number;
}

/** The state for the handlers of requests. */
export interface Engine {
  model: Model;
  operations: Operations;
  events: Events;
  /** The connections of programs that run in instances, by the id of their operation. */
  sessions: Map<string, Session>;
  faults: FaultBook;
  timing: Timing;
  version: string;
  cores: number;
  memoryBytes: number;
}

export function createEngine(options: EngineOptions = {}): Engine {
  const events = createEvents();
  return {
    model: createModel(options.members ?? []),
    operations: createOperations(events),
    events,
    sessions: new Map(),
    faults: createFaults(options.imageServers ?? []),
    timing: { ...quick, ...options.timing },
    cores: options.cores ?? 8,
    version: options.version ?? '6.0.4',
    memoryBytes: options.memoryBytes ?? 16 * 2 ** 30,
  };
}

import { createEvents, type Events } from './events.ts';
import { createFaults, type FaultBook } from './faults.ts';
import { createModel, type Model } from './model.ts';
import { createOperations, type Operations } from './operations.ts';

/** How long things take, in milliseconds. */
export interface Timing {
  create: number;
  /** More, for the first create of an image on a pool. */
  unpack: number;
  start: number;
  stop: number;
  delete: number;
  /** To another member, with its disk. */
  migrate: number;
  /** From a start to the guest's addresses. */
  network: number;
  /** From a start to the end of a guest's boot, when it carries out what was handed over to it. */
  boot: number;
  shutdown: number;
  /** An image's download. */
  download: number;
  /** Until a create gives up that another Incus is to send the instance of; 30 s in Incus. */
  receive: number;
}

/** For tests. */
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
  /** Members of a cluster; without any there is none. The first is the one that answers. */
  members?: readonly string[];
  timing?: Partial<Timing>;
  /** Image servers that answer, by host and port. */
  imageServers?: readonly string[];
  /** Of Incus, as it says. */
  version?: string;
  cores?: number;
  memoryBytes?: number;
}

/** All that the handlers of requests work on. */
export interface Engine {
  model: Model;
  operations: Operations;
  events: Events;
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
    faults: createFaults(options.imageServers ?? []),
    timing: { ...quick, ...options.timing },
    cores: options.cores ?? 8,
    version: options.version ?? '6.0.4',
    memoryBytes: options.memoryBytes ?? 16 * 2 ** 30,
  };
}

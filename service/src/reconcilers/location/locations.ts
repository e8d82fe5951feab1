import { instanceName } from '../../instances/labels.ts';
import type { Keyring } from '../../keys/keyring.ts';
import { wayTo } from '../../locations/engines.ts';
import { loadIdentity } from '../../locations/identity.ts';
import { type LocationRow, listAllLocations } from '../../locations/queries.ts';
import { defineReconciler, type Found } from '../../reconciler-runtime/define.ts';
import { startReconcilers } from '../../reconciler-runtime/runner.ts';
import { serverOfOperation } from '../../servers/truth-queries.ts';
import { createRunningCount } from '../../usage/collect/running.ts';
import type { Shared, Watching } from './subject.ts';
import { createTold } from './told.ts';
import { watchLocation } from './watch.ts';

/** The interval at which the locations are compared, in case a notification was lost. */
const resyncMilliseconds = 10_000;

interface Watched {
  /** The configuration with which the watcher was started. If it changes, the location gets a new watcher. */
  by: string;
  stop(): void;
  ended: Promise<void>;
}

interface Watchers {
  watching: Watching & Shared & { secretKey: Keyring };
  watched: Map<number, Watched>;
  signal: AbortSignal;
}

const locations = defineReconciler<Watchers, LocationsTopic>({
  name: 'locations',
  every: { milliseconds: resyncMilliseconds },
  on: ['locations_changed'],
  failure: 'The locations could not be read.',
  run: lookAtAll,
});

/** Syncs the instance of the server of an operation. The key is the id of the operation. */
const endedOperation = defineReconciler<Watchers, LocationsTopic>({
  name: 'ended-operation',
  on: ['operation_finished'],
  failure: 'The subject of an operation could not be read.',
  async run({ watching }, operation) {
    const { db, instanceTriggers } = watching;
    const server = await serverOfOperation(db, Number(operation));
    if (server) instanceTriggers.get(server.locationId)?.(instanceName(server.uuid));
  },
});

type LocationsTopic = 'locations_changed' | 'operation_finished';

/**
 * Watches every location, including those that are added, changed or removed later. Resolves when the watchers of the
 * current locations are started. `ended` resolves when all watchers have ended after `signal` was aborted.
 */
export async function watchLocations(
  watching: Watching & { secretKey: Keyring },
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> {
  const { db, log, notifications, runs } = watching;
  const shared = {
    instanceTriggers: new Map(),
    running: createRunningCount(db),
    told: createTold(),
  } satisfies Shared;
  const watchers = { watching: { ...watching, ...shared }, watched: new Map(), signal };
  await lookAtAll(watchers);
  const reconcilers = [locations, endedOperation];
  const runner = startReconcilers({ reconcilers, subject: watchers, signal, log, observer: runs });
  const unsubscribe = [
    notifications.on('locations_changed', () => runner.trigger('locations_changed')),
    notifications.on('operation_finished', ({ id }) => {
      if (shared.instanceTriggers.size > 0) runner.trigger('operation_finished', String(id));
    }),
  ];

  async function untilEnded(): Promise<void> {
    const aborted = new Promise((resolve) =>
      signal.addEventListener('abort', resolve, { once: true }),
    );
    // The signal may have been aborted while the locations were read.
    if (!signal.aborted) await aborted;
    for (const off of unsubscribe) off();
    await runner.stop();
    await Promise.all([...watchers.watched.values()].map(({ ended }) => ended));
  }
  return { ended: untilEnded() };
}

async function lookAtAll(watchers: Watchers): Promise<Found> {
  const { watching, watched, signal } = watchers;
  const { db, engines, secretKey } = watching;
  engines.identity = await loadIdentity(db, secretKey);
  const found = await listAllLocations(db);
  const known = { locations: found.length };
  if (signal.aborted) return known;
  for (const location of found) {
    const { name, storage_pool } = location;
    const by = JSON.stringify([wayTo(location, engines.identity), name, storage_pool]);
    if (watched.get(location.id)?.by !== by) watch(watchers, location, by);
  }
  const there = new Set(found.map(({ id }) => id));
  for (const [id, { stop }] of watched) if (!there.has(id)) stop();
  return known;
}

function watch({ watching, watched, signal }: Watchers, location: LocationRow, by: string): void {
  const stopping = new AbortController();
  const before = watched.get(location.id);
  before?.stop();
  const until = AbortSignal.any([signal, stopping.signal]);
  const ended = Promise.resolve(before?.ended)
    .then(() => watchLocation(watching, location, until))
    .finally(() => {
      if (watched.get(location.id) === entry) watched.delete(location.id);
    });
  const entry = { by, stop: () => stopping.abort(), ended };
  watched.set(location.id, entry);
}

import { instanceName } from '../instances/labels.ts';
import type { Keyring } from '../keys/keyring.ts';
import { background } from '../lib/background.ts';
import { serialised } from '../lib/serialised.ts';
import { wayTo } from '../locations/engines.ts';
import { loadIdentity } from '../locations/identity.ts';
import { type LocationRow, listAllLocations } from '../locations/queries.ts';
import { serverOfOperation } from '../servers/truth-queries.ts';
import { createRunningCount } from '../usage/collect/running.ts';
import { type Shared, type Watching, watchLocation } from './watch.ts';

/** For changes that nobody heard of: while the connection for notifications was lost. */
const lookAgainMilliseconds = 10_000;

interface Watched {
  /** What it is watched by: once that has changed, it is watched anew. */
  by: string;
  stop(): void;
  ended: Promise<void>;
}

/**
 * Watches every location, also those that are added, changed or removed meanwhile. Resolves once the
 * first ones are watched, to what resolves when none is any more, after `signal` was aborted.
 */
export async function watchLocations(
  watching: Watching & { secretKey: Keyring },
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> {
  const { db, engines, log, notifications, secretKey } = watching;
  const watched = new Map<number, Watched>();
  const shared = { lookers: new Map(), running: createRunningCount(db) } satisfies Shared;

  function watch(location: LocationRow, by: string): void {
    const stopping = new AbortController();
    const before = watched.get(location.id);
    before?.stop();
    const until = AbortSignal.any([signal, stopping.signal]);
    const ended = Promise.resolve(before?.ended).then(() =>
      watchLocation({ ...watching, ...shared }, location, until),
    );
    watched.set(location.id, { by, stop: () => stopping.abort(), ended });
  }

  async function lookAtAll(): Promise<void> {
    engines.identity = await loadIdentity(db, secretKey);
    const locations = await listAllLocations(db);
    if (signal.aborted) return;
    for (const location of locations) {
      const { name, storage_pool } = location;
      const by = JSON.stringify([wayTo(location, engines.identity), name, storage_pool]);
      if (watched.get(location.id)?.by !== by) watch(location, by);
    }
    const there = new Set(locations.map(({ id }) => id));
    for (const [id, { stop }] of watched) if (!there.has(id)) stop();
  }

  async function hint(operationId: number): Promise<void> {
    const server = await serverOfOperation(db, operationId);
    if (server) shared.lookers.get(server.locationId)?.(instanceName(server.uuid));
  }

  await lookAtAll();
  const report = (error: unknown) => log.warn({ err: error }, 'Locations could not be looked at.');
  const look = serialised(lookAtAll, report);
  const off = notifications.on('locations_changed', () => look.run('all'));
  const hinting = background();
  const offFinished = notifications.on('operation_finished', ({ id }) => {
    if (shared.lookers.size > 0)
      hinting.run(
        () => hint(id),
        (error) =>
          log.warn(
            { err: error, operation: id },
            'What an operation was about could not be looked up.',
          ),
      );
  });
  const timer = setInterval(() => look.run('all'), lookAgainMilliseconds);

  async function untilEnded(): Promise<void> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    clearInterval(timer);
    off();
    offFinished();
    await Promise.all([look.idle(), hinting.idle()]);
    await Promise.all([...watched.values()].map(({ ended }) => ended));
  }
  return { ended: untilEnded() };
}

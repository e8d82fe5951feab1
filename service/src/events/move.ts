import type { Db } from '../db/connection.ts';
import { eventsAtOnce, keptEvents, moveEvents } from './feed-queries.ts';
import type { KeptEvents } from './queries.ts';

/** Moves all events that are in the outbox now. Returns how many there were. */
export async function moveAllEvents(
  db: Db,
  turn: Parameters<typeof moveEvents>[1],
  signal?: AbortSignal,
): Promise<number> {
  let moved = 0;
  let part: number;
  do {
    part = await moveEvents(db, turn);
    moved += part;
  } while (part === eventsAtOnce && !signal?.aborted);
  return moved;
}

/**
 * Returns which events are kept, including all that were committed before. An event leaves the outbox in the transaction
 * that enters it into `events`, so one snapshot has it in one of the two, also during a move. If the outbox is empty, the
 * last event is therefore the last one committed, so the list need not wait for the lock.
 */
export async function allKeptEvents(db: Db): Promise<KeptEvents> {
  const kept = await keptEvents(db);
  if (!kept.areMore) return kept;
  await moveAllEvents(db, 'inTurn');
  return await keptEvents(db);
}

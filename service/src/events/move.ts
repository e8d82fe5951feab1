import type { Db } from '../db/connection.ts';
import { eventsAtOnce, moveEvents } from './feed-queries.ts';

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

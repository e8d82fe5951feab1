import { beginReading, type ReadingTime } from '../record/reading-queries.ts';
import type { CollectContext } from './source.ts';

/**
 * The times at which the readings of a round begin. Queries PostgreSQL once: all of them are later
 * than what was recorded before.
 */
export async function clockOfRound({ db, now }: CollectContext): Promise<() => ReadingTime> {
  const { order, at } = await beginReading(db);
  const since = performance.now();
  const passed = () => new Date(at.getTime() + performance.now() - since);
  return () => ({ order, at: now?.() ?? passed() });
}

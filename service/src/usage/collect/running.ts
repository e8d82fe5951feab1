import type { Db } from '../../db/connection.ts';
import { countRunning } from './node-queries.ts';

/** The count reads all servers, and changes slowly. */
const countMaxAgeMilliseconds = 60_000;

export interface Running {
  here: number;
  /** At all locations. */
  all: number;
}

/** The number of servers to read, as of one minute ago at most. */
export type CountRunning = (locationId: number) => Promise<Running>;

/** Shares one count among all locations that a process watches. */
export function createRunningCount(db: Db): CountRunning {
  let counted: { at: number; byLocation: Promise<Map<number, number>> } | undefined;
  return async (locationId) => {
    if (!counted || performance.now() - counted.at > countMaxAgeMilliseconds) {
      counted = { at: performance.now(), byLocation: countRunning(db) };
      // After an error, the next call counts again.
      counted.byLocation.catch(() => {
        counted = undefined;
      });
    }
    const byLocation = await counted.byLocation;
    const all = [...byLocation.values()].reduce((sum, running) => sum + running, 0);
    return { here: byLocation.get(locationId) ?? 0, all };
  };
}

/** The share to read in one round, so that all locations together read `most`. */
export const shareOf = ({ all }: Running, most: number) => (all > most ? most / all : 1);

import type { Db } from '../../db/connection.ts';
import { countRunning } from './node-queries.ts';

/** It goes over all servers, of which some come and go. */
const countHoldsMilliseconds = 60_000;

export interface Running {
  here: number;
  /** At all locations. */
  all: number;
}

/** How many servers are to be read, as it was a minute ago at most. */
export type CountRunning = (locationId: number) => Promise<Running>;

/** One count for all locations that a process reads. */
export function createRunningCount(db: Db): CountRunning {
  let counted: { at: number; byLocation: Promise<Map<number, number>> } | undefined;
  return async (locationId) => {
    if (!counted || performance.now() - counted.at > countHoldsMilliseconds) {
      counted = { at: performance.now(), byLocation: countRunning(db) };
      // What could not be counted is counted anew.
      counted.byLocation.catch(() => {
        counted = undefined;
      });
    }
    const byLocation = await counted.byLocation;
    const all = [...byLocation.values()].reduce((sum, running) => sum + running, 0);
    return { here: byLocation.get(locationId) ?? 0, all };
  };
}

/** Which part of them is to be read at a time, so that of all locations it is `most`. */
export const shareOf = ({ all }: Running, most: number) => (all > most ? most / all : 1);

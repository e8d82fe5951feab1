import type { World } from './world.ts';

export interface Outcome {
  /** The seconds until the named condition was true. */
  took: Record<string, number>;
  /** The number of servers that were moved to another member. */
  moved?: number;
}

export interface Scenario {
  name: string;
  /** What is done to the cluster, as text. */
  did: string;
  run(world: World): Promise<Outcome>;
  /**
   * What may be shown for a server that runs all the time, other than that it runs:
   * `status/real_status`.
   */
  mayShow?: string[];
}

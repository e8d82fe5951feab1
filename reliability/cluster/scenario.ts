import type { World } from './world.ts';

export interface Outcome {
  /** Seconds until what is named was so. */
  took: Record<string, number>;
  /** Servers that are on another member than before. */
  moved?: number;
}

export interface Scenario {
  name: string;
  /** What is done to the cluster. */
  did: string;
  run(world: World): Promise<Outcome>;
  /** What else than that it runs may be shown of a server that runs all the time: `status/real_status`. */
  mayShow?: string[];
}

import { sharedCluster, startCluster } from './postgres.ts';

let stop: (() => Promise<void>) | undefined;

/** Starts one PostgreSQL for all test files of a run (`node --test --test-global-setup`). */
export async function globalSetup(): Promise<void> {
  const cluster = await startCluster();
  stop = cluster.stop;
  process.env[sharedCluster] = JSON.stringify(cluster);
}

export async function globalTeardown(): Promise<void> {
  await stop?.();
}

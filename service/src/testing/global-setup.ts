import { sharedCluster, startCluster } from './postgres.ts';

let stop: (() => Promise<void>) | undefined;

/** Once a run: one PostgreSQL for all its test files (`node --test --test-global-setup`). */
export async function globalSetup(): Promise<void> {
  const cluster = await startCluster();
  stop = cluster.stop;
  process.env[sharedCluster] = JSON.stringify(cluster);
}

export async function globalTeardown(): Promise<void> {
  await stop?.();
}

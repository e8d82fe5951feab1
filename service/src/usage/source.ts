import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import type { IncusClient } from '../incus/client.ts';

/** What usage needs of the engine. */
export interface UsageSource {
  server: Pick<IncusClient['server'], 'metrics'>;
  instances: Pick<IncusClient['instances'], 'getState'>;
}

export interface UsageLocation {
  id: number;
  client: UsageSource;
}

export interface CollectContext {
  db: Db;
  log: Logger;
  now: () => Date;
  /** Ends the calls to the engine. */
  signal?: AbortSignal | undefined;
}

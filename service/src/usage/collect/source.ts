import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import type { IncusClient } from '../../incus/client.ts';
import type { CountRunning } from './running.ts';

/** What usage needs of the engine. */
export interface UsageSource {
  server: Pick<IncusClient['server'], 'metrics'>;
  instances: Pick<IncusClient['instances'], 'get' | 'getUse'>;
  networks: Pick<IncusClient['networks'], 'getState'>;
  storage: Pick<IncusClient['storage'], 'getVolumeState'>;
}

export interface UsageLocation {
  id: number;
  /** Where the disks of its servers are. */
  pool: string;
  client: UsageSource;
}

export interface CollectContext {
  db: Db;
  running: CountRunning;
  log: Logger;
  /** The database's clock unless told. */
  now?: (() => Date) | undefined;
  /** Ends the calls to the engine. */
  signal?: AbortSignal | undefined;
}

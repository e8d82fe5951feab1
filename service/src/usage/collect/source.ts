import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import type { IncusClient } from '../../incus/client.ts';
import type { CountRunning } from './running.ts';

/** The calls to the engine that collecting usage needs. */
export interface UsageSource {
  server: Pick<IncusClient['server'], 'metrics'>;
  instances: Pick<IncusClient['instances'], 'get' | 'getUse'>;
  networks: Pick<IncusClient['networks'], 'getState'>;
  storage: Pick<IncusClient['storage'], 'getVolumeState'>;
}

export interface UsageLocation {
  id: number;
  /** The pool with the disks of its servers. */
  pool: string;
  client: UsageSource;
}

export interface CollectContext {
  db: Db;
  running: CountRunning;
  log: Logger;
  /** Defaults to the clock of the database. */
  now?: (() => Date) | undefined;
  /** Aborts the calls to the engine. */
  signal?: AbortSignal | undefined;
}

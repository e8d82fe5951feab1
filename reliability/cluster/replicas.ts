import { mkdirSync } from 'node:fs';
import { dataDirectory, type Service, startService } from '../../e2e/service.ts';
import { startEmbeddedPostgres } from '../../service/src/db/embedded/embedded.ts';
import { database, names, replicaDirectories } from './site.ts';

export interface Replicas {
  services: Service[];
  /** Stops the PostgreSQL; the services end when their directories are removed. */
  stop(): Promise<void>;
}

/** Two services on one PostgreSQL that belongs to neither. */
export async function startReplicas(): Promise<Replicas> {
  const dataDir = dataDirectory(database);
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  const postgres = await startEmbeddedPostgres({ dataDir });
  const databaseUrl = postgres.connectionString;
  const services: Service[] = [];
  for (const directory of replicaDirectories) {
    const [beside] = services;
    services.push(await startService({ directory, databaseUrl, names, beside }));
  }
  return { services, stop: postgres.stop };
}

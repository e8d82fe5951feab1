import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineOptions } from '../../incus-sim/src/engine.ts';
import { type Simulator, startSimulator } from '../../incus-sim/src/simulator.ts';
import { loadConfig } from '../../service/src/config/config.ts';
import { startService } from '../../service/src/start.ts';
import { createTestDatabase, type TestDatabase } from '../../service/src/testing/postgres.ts';

export interface Installation {
  url: string;
  token: string;
  dataDir: string;
  database: TestDatabase;
  simulator: Simulator;
  close(): Promise<void>;
}

const plenty = '1000000/1000000';
const limits = ['READS', 'ACTIONS', 'CHANGES', 'PROJECTS', 'PUBLIC', 'BAD_TOKENS'];

/**
 * The whole service in this process, with a database of its own and a simulated Incus.
 *
 * @param env more settings
 * @param engine more about its Incus, which is a cluster if it has members
 */
export async function startInstallation(
  env: Record<string, string> = {},
  engine: EngineOptions = {},
): Promise<Installation> {
  await using stack = new AsyncDisposableStack();
  const database = await createTestDatabase();
  stack.defer(database.close);
  const directory = mkdtempSync(join(tmpdir(), 'berth-cli-'));
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  const listen = { socketPath: join(directory, 'incus') };
  const simulator = await startSimulator({ listen, ...engine });
  stack.defer(() => simulator.close());
  const names = { project: 'cli', pool: 'cli', network: 'cli0' };
  simulator.plant({ ...names, imageAliases: ['berth-debian-12'] });
  const dataDir = join(directory, 'data');
  const config = loadConfig({
    DATABASE_URL: database.connectionString,
    BERTH_DATA_DIR: dataDir,
    BERTH_PORT: '0',
    BERTH_INCUS_SOCKET: simulator.socketPath,
    BERTH_LOCAL_PROJECT: names.project,
    BERTH_LOCAL_POOL: names.pool,
    BERTH_LOCAL_NETWORK: names.network,
    BERTH_LOG_LEVEL: 'fatal',
    ...Object.fromEntries(limits.map((name) => [`BERTH_LIMIT_${name}`, plenty])),
    ...env,
  });
  const say = () => undefined;
  const signal = new AbortController().signal;
  const service = await startService(config, say, { signal, always: () => undefined });
  stack.defer(() => service.stop());
  if (typeof service.admin === 'string') throw new Error(`There is no token: ${service.admin}`);
  const { token } = service.admin;
  const open = stack.move();
  return {
    url: service.url,
    token,
    dataDir,
    database,
    simulator,
    close: () => open.disposeAsync(),
  };
}

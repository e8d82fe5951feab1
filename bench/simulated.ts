import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeService, type Service, startService } from '../e2e/service.ts';
import { freePort } from '../e2e/stack.ts';
import { startSimulator } from '../incus-sim/src/simulator.ts';

/** A whole service with a PostgreSQL of its own, on a simulated Incus; nothing of it is left. */
export async function withSimulated<T>(
  env: Record<string, string>,
  use: (service: Service) => Promise<T>,
): Promise<T> {
  await using stack = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  const socketPath = join(directory, 'incus.socket');
  const simulator = await startSimulator({ listen: { socketPath } });
  stack.defer(() => simulator.close());
  const names = { project: 'bench', pool: 'bench', network: 'bench0' };
  simulator.plant({ ...names, imageAliases: ['berth-debian-12'] });
  stack.defer(() => removeService(directory));
  const port = await freePort();
  const quiet = { BERTH_LOG_LEVEL: 'warn', ...env };
  return await use(await startService({ directory, socketPath, names, port, env: quiet }));
}

import { join } from 'node:path';
import { type Service, serviceDirectory, startService } from '../e2e/service.ts';
import { startSimulator } from '../incus-sim/src/simulator.ts';

/** Starts a simulated Incus with an image, below a new directory. The stack removes both. */
export async function simulatedIncus(stack: AsyncDisposableStack) {
  const directory = serviceDirectory(stack, 'bench');
  const socketPath = join(directory, 'incus.socket');
  const simulator = await startSimulator({ listen: { socketPath }, memoryBytes: 256 * 2 ** 30 });
  stack.defer(() => simulator.close());
  const names = { project: 'bench', pool: 'bench', network: 'bench0' };
  simulator.plant({ ...names, imageAliases: ['berth-debian-12'] });
  return { directory, socketPath, names };
}

/** Runs a whole service with its own PostgreSQL on a simulated Incus, and removes both. */
export async function withSimulated<T>(
  env: Record<string, string>,
  use: (service: Service) => Promise<T>,
): Promise<T> {
  await using stack = new AsyncDisposableStack();
  const incus = await simulatedIncus(stack);
  const quiet = { BERTH_LOG_LEVEL: 'warn', ...env };
  return await use(await startService({ ...incus, env: quiet }));
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '../src/simulator.ts';
import type { Place } from './target.ts';

/** A simulated Incus with all that the contract's tests need. */
export async function startSimulated(): Promise<Place> {
  const directory = mkdtempSync(join(tmpdir(), 'simulated-'));
  const simulator = await startSimulator({ listen: { socketPath: join(directory, 'socket') } });
  const names = { project: 'contract', pool: 'contract', network: 'contractbr0' };
  simulator.plant({ ...names, imageAliases: ['debian'] });
  return {
    socketPath: simulator.socketPath,
    names,
    image: 'debian',
    makeDeaf: async (instance) => simulator.faults.guest(instance, { ignoresShutdown: true }),
    async close() {
      await simulator.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from '../../service/src/incus/test-server.ts';
import { temporaryDirectory } from '../../service/src/testing/temporary-directory.ts';
import { startSimulator } from '../src/simulator.ts';
import type { Place } from './target.ts';

/** A simulated Incus with everything that the contract tests need. */
export async function startSimulated(): Promise<Place> {
  const directory = temporaryDirectory('simulated');
  const own = selfSigned(join(directory, 'server'));
  const listen = { socketPath: join(directory, 'socket') };
  const simulator = await startSimulator({ listen, alsoListen: [own] });
  const names = { project: 'contract', pool: 'contract', network: 'contractbr0' };
  simulator.plant({ ...names, imageAliases: ['debian'] });
  return {
    socketPath: simulator.socketPath,
    names,
    image: 'debian',
    makeDeaf: async (instance) => simulator.faults.guest(instance, { ignoresShutdown: true }),
    mayAskBtrfs: async (instance, ioctl) =>
      simulator.administrator.mayAskBtrfs(names.project, instance, ioctl),
    forget: async (instance) => simulator.administrator.forget(names.project, instance),
    async overHttps() {
      const [url = ''] = simulator.otherUrls;
      return {
        url,
        async issueToken({ expiresIn } = {}) {
          const seconds = Number.parseInt(expiresIn ?? '', 10);
          const expiresAt = expiresIn ? new Date(Date.now() + seconds * 1000) : null;
          return simulator.issueToken('contract', { expiresAt });
        },
      };
    },
    async close() {
      await simulator.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

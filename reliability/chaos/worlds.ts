import { join } from 'node:path';
import { killDaemon } from '../../e2e/private-incus.ts';
import {
  dataDirectory,
  type Service,
  serviceDirectory,
  startService,
  stopService,
} from '../../e2e/service.ts';
import { withStack } from '../../e2e/stack.ts';
import { startSimulator } from '../../incus-sim/src/simulator.ts';
import { createIncusClient, type IncusClient } from '../../service/src/incus/client.ts';
import { killPostgres } from './postgres.ts';

export const targets = ['service', 'postgres', 'engine'] as const;
export type Target = (typeof targets)[number];

/** A whole Berth, and how to kill its parts. */
export interface World {
  directory: string;
  service: Service;
  client: IncusClient;
  pool: string;
  /** The maximum number of servers. */
  mostServers: number;
  /** Each function kills its part without warning, and restarts it. */
  kill: Record<Target, () => Promise<void>>;
}

type Use = (world: World) => Promise<void>;

export const worlds: Record<
  'simulator' | 'simulator-cloud-init' | 'incus',
  (use: Use) => Promise<void>
> = {
  simulator: (use) => onSimulator(use, { byCloudInit: false }),
  'simulator-cloud-init': (use) => onSimulator(use, { byCloudInit: true }),
  incus: onIncus,
};

/** Only the service and its PostgreSQL are real, and nothing is left of it afterwards. */
async function onSimulator(use: Use, { byCloudInit }: { byCloudInit: boolean }): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const directory = serviceDirectory(stack, 'chaos');
  const socketPath = join(directory, 'incus.socket');
  const timing = { create: 60, start: 40, stop: 40, delete: 40, network: 60, boot: 200 };
  const simulator = await startSimulator({ listen: { socketPath }, timing });
  stack.defer(() => simulator.close());
  const names = { project: 'chaos', pool: 'chaos', network: 'chaosbr0' };
  simulator.plant({ ...names, imageAliases: ['berth-debian-12'], byCloudInit });
  const service = await startService({ directory, socketPath, names });
  const client = createIncusClient({ socketPath, project: names.project });
  stack.defer(() => client.close());
  const absentMs = 700;
  const kill = killers(service, () => simulator.restartDaemon(absentMs));
  await use({ directory, service, client, pool: names.pool, mostServers: 24, kill });
}

async function onIncus(use: Use): Promise<void> {
  await withStack('chaos', async ({ directory, socketPath, names, service }) => {
    const client = createIncusClient({ socketPath, project: names.project });
    const incusDir = join(directory, 'incus');
    const kill = killers(service, () => killDaemon(incusDir));
    try {
      await use({ directory, service, client, pool: names.pool, mostServers: 3, kill });
    } finally {
      await client.close();
    }
  });
}

function killers(service: Service, killEngine: () => Promise<void>): World['kill'] {
  const { directory } = service;
  return {
    engine: killEngine,
    postgres: () => killPostgres(dataDirectory(directory)),
    async service() {
      await stopService(directory, 'SIGKILL');
      await startService(service);
    },
  };
}

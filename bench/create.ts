import { setTimeout as sleep } from 'node:timers/promises';
import { type Stack, withStack } from '../e2e/stack.ts';
import { commandLineCreate } from './incus-command-line.ts';
import { compare, report } from './statistics.ts';

const rounds = 7;
const highestRatio = 1.25;
export const initialCommand = 'echo done > /root/done';

/**
 * From `POST /v1/servers` to `is_processing: false`, with commands done, against the command line of
 * Incus making the same guest: create, start, cloud-init done. They take turns, so that whatever
 * else the machine does slows both.
 */
export async function benchCreate(): Promise<boolean> {
  return await withStack('bench', async (stack) => {
    const baseline: number[] = [];
    const measured: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const incus = await timed(() => commandLineCreate(stack, initialCommand));
      const berth = await timed(() => apiCreate(stack));
      await incus.undo();
      await berth.undo();
      // The first use of an image unpacks it, for whoever comes first.
      if (round === 0) continue;
      baseline.push(incus.seconds);
      measured.push(berth.seconds);
      console.log(
        `round ${round}: incus ${incus.seconds.toFixed(2)} s, Berth ${berth.seconds.toFixed(2)} s`,
      );
    }
    const result = compare(baseline, measured);
    report('Create a server', { baseline: 'incus command line', measured: 'Berth' }, result);
    console.log(`ratio ${result.ratio.toFixed(2)}, at most ${highestRatio} is asked for`);
    return result.ratio <= highestRatio;
  });
}

type Undo = () => Promise<void>;

async function timed(work: () => Promise<Undo>): Promise<{ seconds: number; undo: Undo }> {
  const start = performance.now();
  const undo = await work();
  return { seconds: (performance.now() - start) / 1000, undo };
}

async function apiCreate({ service }: Stack): Promise<Undo> {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${service.token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(method === 'DELETE' && { prefer: 'wait=60' }),
      },
      body: body ? JSON.stringify(body) : null,
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as {
      id: number;
      is_processing: boolean;
      status: string;
      error: string;
    };
  };
  const { id } = await call('POST', '/v1/servers', {
    name: 'bench',
    location_id: 1,
    os_id: 1,
    password: 'Correct-Horse-9',
    initialCommands: [initialCommand],
    cpu: 1,
    ram: 512,
    disk: 4,
  });
  while ((await call('GET', `/v1/servers/${id}/status`)).is_processing) await sleep(50);
  const server = await call('GET', `/v1/servers/${id}`);
  if (server.status !== 'started') throw new Error(`The create failed: ${server.error}`);
  return async () => void (await call('DELETE', `/v1/servers/${id}`));
}

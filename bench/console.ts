import type { Console } from '@berth/contract/consoles';
import type { OperatingSystem } from '@berth/contract/operating-systems';
import type { Server } from '@berth/contract/servers';
import { openTerminal } from '../e2e/console.ts';
import type { Service } from '../e2e/service.ts';
import { watchMemory } from './processor.ts';
import { withSimulated } from './simulated.ts';
import { concludeAlone, percentile } from './statistics.ts';

const defaultRounds = 3;
const keys = 500;
const printed = 100_000_000;
const password = 'Correct-Horse-9';
const most = { delayMs: 50, megabytes: 32 };

/**
 * Measures how long a key takes to be shown on the console of a server, and how much memory the service needs more while the
 * guest prints 100 MB. The guest is simulated, so that this is the share of Berth.
 */
export async function benchConsole(rounds = defaultRounds): Promise<boolean> {
  return await withSimulated({}, async (service) => {
    const figures = { p99: [] as number[], megabytes: [] as number[] };
    const id = await createServer(service);
    for (let round = 0; round <= rounds; round += 1) {
      const { url } = await call<Console>(service, 'POST', `/v1/servers/${id}/console`);
      await using terminal = await openTerminal(url);
      // A login that an earlier round has left open would ask for no password.
      await terminal.logIn(password);
      const p99 = percentile(await terminal.echoes(keys), 0.99);
      const began = performance.now();
      const megabytes = await growth(service, () => terminal.flood(printed));
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      terminal.type('exit\r');
      await terminal.shows(/login: $/);
      const shown = `p99 ${p99.toFixed(1)} ms; 100 MB in ${seconds} s, ${megabytes.toFixed(1)} MB more`;
      console.log(`${round === 0 ? 'warm-up' : `round ${round}`}: ${shown}`);
      if (round === 0) continue;
      figures.p99.push(p99);
      figures.megabytes.push(megabytes);
    }
    return [
      concludeAlone('From a key to its echo, p99, milliseconds', figures.p99, {
        most: most.delayMs,
      }),
      concludeAlone('Memory while 100 MB are printed, MB more', figures.megabytes, {
        most: most.megabytes,
      }),
    ].every((isMet) => isMet);
  });
}

/** How much the memory of the service has grown at most during the work. */
async function growth({ pid }: Service, work: () => Promise<unknown>): Promise<number> {
  const memory = watchMemory(pid);
  let figures: ReturnType<typeof memory.stop>;
  try {
    await work();
  } finally {
    figures = memory.stop();
  }
  return figures.peak - figures.before;
}

async function createServer(service: Service): Promise<number> {
  const systems = await call<OperatingSystem[]>(service, 'GET', '/v1/operating-systems');
  const osId = systems.find(({ slug }) => slug === 'debian-12')?.id;
  const size = { cpu: 1, ram: 256, disk: 2 };
  const about = { name: 'console', location_id: 1, os_id: osId, password, initialCommands: [] };
  return (await call<Server>(service, 'POST', '/v1/servers', { ...about, ...size })).id;
}

async function call<T>(
  { url, token }: Service,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body && { 'content-type': 'application/json' }),
    ...(method !== 'GET' && { prefer: 'wait=60' }),
  };
  const init = { method, headers, body: body ? JSON.stringify(body) : null };
  const response = await fetch(`${url}${path}`, init);
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (await response.json()) as T;
}

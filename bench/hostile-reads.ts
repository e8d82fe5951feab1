import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../e2e/service.ts';
import { beside } from './disturbance.ts';
import { attackingProject, type Customers, entries, fullCreates, servers } from './hostile-rows.ts';
import { hostileTargets } from './hostile-targets.ts';
import { ask } from './latency.ts';
import { inWords, watchMemory } from './processor.ts';
import { percentile } from './statistics.ts';

const settleMs = 1000;
const requests = 300;
const everyMs = 12;
const rounds = 3;

/** Requests of one customer, so many of which are in progress all the time. */
interface Attack {
  paths: string[];
  atOnce: number;
}

const statement = `/v1/projects/${attackingProject}/statement`;

const attacks: Record<string, Attack> = {
  'reads that find nothing': {
    atOnce: 60,
    paths: [
      '/v1/audit?limit=1&address=9.9.9.9',
      '/v1/audit?limit=1&action=token_create',
      '/v1/audit?limit=1&sort=-id&status=500',
    ],
  },
  // Each filter has an index that finds half of all rows, and no row matches both.
  [`reads that go through ${(entries / 2).toLocaleString('en-US')} rows`]: {
    atOnce: 60,
    paths: ['/v1/audit?limit=1&action=server_start&status=409'],
  },
  [`pages of ${fullCreates.toLocaleString('en-US')} operations whose outputs have 256 KiB each`]: {
    atOnce: 20,
    paths: [`/v1/operations?limit=${fullCreates}`, '/v1/operations'],
  },
  [`statements of ${servers.toLocaleString('en-US')} servers`]: {
    atOnce: 40,
    paths: [statement, `${statement}.csv`],
  },
};

interface Customer {
  url: string;
  token: string;
}

interface Figures {
  p99: number;
  statuses: Record<string, number>;
}

/**
 * Measures the answers to another customer during each attack, the longest time that the event loop
 * is blocked, and the memory of the service. Returns whether nobody else was refused and the event
 * loop was never blocked for too long, and others were answered at least a third as fast.
 * @param held returns the longest time since the last call, in milliseconds
 */
export async function benchHostileReads(
  service: Service,
  { attacker, other }: Customers,
  held: () => Promise<number>,
): Promise<boolean> {
  const customer = (token: string): Customer => ({ url: service.url, token });
  const { holdMs, megabytes } = hostileTargets;
  let isAsWanted = true;
  for (const [name, { paths, atOnce }] of Object.entries(attacks)) {
    const tries: Awaited<ReturnType<typeof attack>>[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const by = { attacker: customer(attacker), other: customer(other) };
      tries.push(await attack(service.pid, by, [String(atOnce), ...paths], held));
    }
    // Other load on the machine only makes these larger.
    const least = (of: (figures: (typeof tries)[number]) => number) => Math.min(...tries.map(of));
    const ratio = least(({ alone, attacked }) => attacked.p99 / alone.p99);
    const hold = least(({ hold }) => hold);
    const peak = least(({ memory }) => memory.peak);
    const isServed = tries.every(({ attacked }) => Object.keys(attacked.statuses).join() === '200');
    console.log(`${name}:`);
    for (const { alone, attacked, said, memory, hold: one } of tries) {
      console.log(
        `  another customer: ${JSON.stringify(attacked.statuses)}, p99 ${alone.p99.toFixed(1)} ms alone and ` +
          `${attacked.p99.toFixed(1)} ms during the attack; the attacker: ${said}; hold ${one.toFixed(1)} ms; ` +
          `memory ${inWords(memory)}`,
      );
    }
    const isFast = ratio <= hostileTargets.ratio;
    console.log(
      `  ratio ${ratio.toFixed(2)}, longest hold ${hold.toFixed(1)} ms, at most ${Math.round(peak)} MB`,
    );
    isAsWanted &&= isServed && isFast && hold <= holdMs && peak <= megabytes;
  }
  console.log(
    `target: all responses are 200, no hold over ${holdMs} ms, at most ${megabytes} MB, and a ratio of ` +
      `${hostileTargets.ratio} at most`,
  );
  return isAsWanted;
}

async function attack(
  pid: number,
  { attacker, other }: { attacker: Customer; other: Customer },
  requestsAtOnce: string[],
  held: () => Promise<number>,
) {
  const alone = await serve(other);
  const memory = watchMemory(pid);
  await held();
  const args = [attacker.url, attacker.token, ...requestsAtOnce];
  const { measured: attacked, said } = await beside('many-requests.ts', args, settleMs, () =>
    serve(other),
  );
  const hold = await held();
  await sleep(settleMs);
  return { alone, attacked, said, hold, memory: memory.stop() };
}

/** A customer who requests a page of its servers repeatedly. */
async function serve({ url, token }: Customer): Promise<Figures> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses: Record<string, number> = {};
  const taken: number[] = [];
  for (let request = 0; request < requests; request += 1) {
    const start = performance.now();
    const status = String(await ask(`${url}/v1/servers?limit=1`, token, agent));
    taken.push(performance.now() - start);
    statuses[status] = (statuses[status] ?? 0) + 1;
    await sleep(everyMs);
  }
  agent.destroy();
  return { p99: percentile(taken, 0.99), statuses };
}

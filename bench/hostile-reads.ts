import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { dataDirectory, type Service } from '../e2e/service.ts';
import { createDb, createPool, type Db } from '../service/src/db/connection.ts';
import { joinEmbeddedPostgres } from '../service/src/db/embedded/embedded.ts';
import { createTestToken } from '../service/src/testing/app.ts';
import { createTestProject } from '../service/src/testing/people.ts';
import { beside } from './disturbance.ts';
import { ask } from './latency.ts';
import { percentile } from './statistics.ts';

const entries = 600_000;
const atOnce = 60;
const settleMs = 1000;
const requests = 300;
const everyMs = 12;
const rounds = 3;
const highestRatio = 3;
const mostMs = 20;

/** Requests of which one customer, with 600,000 entries in the audit log, sends 60 at once. */
const attacks: Record<string, string[]> = {
  'reads that find nothing': [
    '/v1/audit?limit=1&address=9.9.9.9',
    '/v1/audit?limit=1&action=token_create',
    '/v1/audit?limit=1&sort=-id&status=500',
  ],
  // Each filter has an index that finds half of all rows, and no row matches both.
  'reads that go through 300,000 rows': ['/v1/audit?limit=1&action=server_start&status=409'],
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
 * loop was never blocked for too long; and, if an index supports the attack, whether others were
 * answered at least a third as fast.
 * @param held returns the longest time since the last call, in milliseconds
 */
export async function benchHostileReads(
  service: Service,
  held: () => Promise<number>,
): Promise<boolean> {
  const { attacker, other } = await onDatabaseOf(service, prepare);
  const customer = (token: string): Customer => ({ url: service.url, token });
  let isAsWanted = true;
  for (const [name, paths] of Object.entries(attacks)) {
    const tries: Awaited<ReturnType<typeof attack>>[] = [];
    for (let round = 0; round < rounds; round += 1) {
      tries.push(await attack(service.pid, customer(attacker), customer(other), paths, held));
    }
    // Other load on the machine only makes these larger.
    const least = (of: (figures: (typeof tries)[number]) => number) => Math.min(...tries.map(of));
    const ratio = least(({ alone, attacked }) => attacked.p99 / alone.p99);
    const hold = least(({ hold }) => hold);
    const isServed = tries.every(({ attacked }) => Object.keys(attacked.statuses).join() === '200');
    console.log(`${name}:`);
    for (const { alone, attacked, said, memory, hold: one } of tries) {
      console.log(
        `  another customer: ${JSON.stringify(attacked.statuses)}, p99 ${alone.p99.toFixed(1)} ms alone and ` +
          `${attacked.p99.toFixed(1)} ms during the attack; the attacker: ${said}; hold ${one.toFixed(1)} ms; ` +
          `memory ${memory.join(' / ')} MB before, at most and after`,
      );
    }
    const isFast = paths.length === 1 || ratio <= highestRatio;
    console.log(`  ratio ${ratio.toFixed(2)}, longest hold ${hold.toFixed(1)} ms`);
    isAsWanted &&= isServed && isFast && hold <= mostMs;
  }
  console.log(
    `target: all responses are 200, no hold over ${mostMs} ms, and during reads that use an index a ratio of ` +
      `${highestRatio} at most`,
  );
  return isAsWanted;
}

async function attack(
  pid: number,
  attacker: Customer,
  other: Customer,
  paths: string[],
  held: () => Promise<number>,
) {
  const alone = await serve(other);
  const before = residentMb(pid);
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, residentMb(pid));
  }, 50);
  await held();
  const args = [attacker.url, attacker.token, String(atOnce), ...paths];
  const { measured: attacked, said } = await beside('many-requests.ts', args, settleMs, () =>
    serve(other),
  );
  const hold = await held();
  clearInterval(watching);
  await sleep(settleMs);
  return { alone, attacked, said, hold, memory: [before, most, residentMb(pid)] };
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

function residentMb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kb) / 1024);
}

async function onDatabaseOf<T>({ directory }: Service, work: (db: Db) => Promise<T>): Promise<T> {
  const { connectionString } = await joinEmbeddedPostgres({ dataDir: dataDirectory(directory) });
  const db = createDb(createPool(connectionString));
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** The tokens of two customers, one of which has a long history. */
async function prepare(db: Db) {
  const tokenOf = async (project: string) => {
    const id = await createTestProject(db, project);
    const { token } = await createTestToken(db, { scopes: ['servers:read'], project });
    return { id, token };
  };
  const attacker = await tokenOf('attacker');
  const other = await tokenOf('another');
  await sql`
    insert into audit_entries (project_id, address, action, target_kind, target_id, status, request_id, source,
      by_administrator)
    select ${attacker.id}, '192.0.2.1', case when n % 2 = 0 then 'server_start' else 'server_stop' end, 'server',
      n, case when n % 2 = 0 then 202 else 409 end, 'request-' || n, 'api', false
    from generate_series(1, ${entries}) n`.execute(db);
  await sql`vacuum analyze audit_entries`.execute(db);
  return { attacker: attacker.token, other: other.token };
}

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeService, type Service, startService } from '../e2e/service.ts';
import { freePort } from '../e2e/stack.ts';
import { type Simulator, startSimulator } from '../incus-sim/src/simulator.ts';
import { createTestDatabase, type TestDatabase } from '../service/src/testing/postgres.ts';

// Two services on one PostgreSQL, and a client that asks both as often as it can.

const limit = { perSecond: 10, burst: 40 };
const askedForSeconds = 8;
const names = { project: 'limits', pool: 'limits', network: 'limits0' };
const root = mkdtempSync(join(tmpdir(), 'berth-limits-'));
let database: TestDatabase;
let simulator: Simulator;
let services: Service[] = [];

async function startReplica(name: string, beside?: Service): Promise<Service> {
  return await startService({
    directory: join(root, name),
    beside,
    socketPath: simulator.socketPath,
    names,
    port: await freePort(),
    databaseUrl: database.connectionString,
    env: { BERTH_LIMIT_READS: `${limit.perSecond}/${limit.burst}` },
  });
}

before(async () => {
  database = await createTestDatabase();
  simulator = await startSimulator({ listen: { socketPath: join(root, 'incus.socket') } });
  simulator.plant({ ...names, imageAliases: ['berth-debian-12'] });
  const first = await startReplica('a');
  services = [first, await startReplica('b', first)];
});

after(async () => {
  for (const name of ['a', 'b']) await removeService(join(root, name));
  await simulator.close();
  await database.close();
  rmSync(root, { recursive: true, force: true });
});

test('what two services let through together is the limit, and at most a burst more', async () => {
  const authorization = `Bearer ${services[0]?.token}`;
  const began = performance.now();
  const passed = () => (performance.now() - began) / 1000;

  async function askAllTheTime({ url }: Service): Promise<number> {
    let answered = 0;
    while (passed() < askedForSeconds) {
      const { status, headers } = await fetch(`${url}/v1/locations`, {
        headers: { authorization },
      });
      assert.ok(status === 200 || status === 429, `${status}`);
      assert.ok(headers.has('ratelimit') && headers.has('ratelimit-policy'));
      if (status === 429) assert.ok(Number(headers.get('retry-after')) >= 1);
      if (status === 200) answered += 1;
      await sleep(5);
    }
    return answered;
  }

  // Two clients each, so that an answer that is late does not hold up the others.
  const counts = await Promise.all([...services, ...services].map(askAllTheTime));
  const sum = counts.reduce((a, b) => a + b, 0);
  const allowed = limit.burst + limit.perSecond * passed();
  assert.ok(sum <= allowed + limit.burst, `${sum} were let through, and ${allowed} are allowed`);
  assert.ok(sum >= 0.8 * allowed, `only ${sum} were let through, and ${allowed} are allowed`);
});

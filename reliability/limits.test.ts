import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeService, type Service, startService } from '../e2e/service.ts';
import { type Simulator, startSimulator } from '../incus-sim/src/simulator.ts';
import { createTestDatabase, type TestDatabase } from '../service/src/testing/postgres.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';
import { until } from '../service/src/testing/until.ts';

// Tests two services with one PostgreSQL, and a client that sends requests to both as fast as it
// can.

const limit = { perSecond: 10, burst: 40 };
const names = { project: 'limits', pool: 'limits', network: 'limits0' };
const root = temporaryDirectory('limits');
let database: TestDatabase;
let simulator: Simulator;
let services: Service[] = [];

async function startReplica(name: string, beside?: Service): Promise<Service> {
  return await startService({
    directory: join(root, name),
    beside,
    socketPath: simulator.socketPath,
    names,
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

test('two services together allow the limit, and at most another burst', async () => {
  const authorization = `Bearer ${services[0]?.token}`;
  const began = performance.now();
  const count = { let: 0, refused: 0 };
  let isOver = false;

  async function askAllTheTime({ url }: Service): Promise<void> {
    while (!isOver) {
      const { status, headers } = await fetch(`${url}/v1/locations`, {
        headers: { authorization },
      });
      assert.ok(status === 200 || status === 429, `${status}`);
      assert.ok(headers.has('ratelimit') && headers.has('ratelimit-policy'));
      if (status === 429) assert.ok(Number(headers.get('retry-after')) >= 1);
      if (status === 200) count.let += 1;
      else count.refused += 1;
      await sleep(5);
    }
  }

  // Each service has two clients, so that a late response does not delay the others.
  const clients = Promise.all([...services, ...services].map(askAllTheTime));
  // The allowed requests are accepted, and further ones are refused.
  const enough = until(
    'requests beyond the burst were accepted, and others refused',
    () => count,
    (now) => now.let >= 3 * limit.burst && now.refused >= limit.burst,
  );
  await Promise.race([enough, clients]).finally(() => {
    isOver = true;
  });
  await clients;
  const allowed = limit.burst + (limit.perSecond * (performance.now() - began)) / 1000;
  assert.ok(
    count.let <= allowed + limit.burst,
    `${count.let} were accepted, and ${allowed} are allowed`,
  );
});

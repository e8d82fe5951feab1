import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  removeService,
  type Service,
  serviceLog,
  startService,
  stopService,
} from '../e2e/service.ts';
import { type Simulator, startSimulator } from '../incus-sim/src/simulator.ts';
import { createTestDatabase, type TestDatabase } from '../service/src/testing/postgres.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';
import { toolOn } from '../service/src/testing/tool.ts';
import { eventually, until } from '../service/src/testing/until.ts';

// Tests several services with one external PostgreSQL.

const takenOverSeconds = 180;
const names = { project: 'replicas', pool: 'replicas', network: 'replicas0' };
const root = temporaryDirectory('replicas');
let database: TestDatabase;
let simulator: Simulator;
let token: string;
let a: Service;
let b: Service;
let c: Service;

/** Starts a service with a separate data directory. All services except the first get the key of the first. */
async function startReplica(name: string, beside?: Service): Promise<Service> {
  return await startService({
    directory: join(root, name),
    beside,
    socketPath: simulator.socketPath,
    names,
    databaseUrl: database.connectionString,
  });
}

before(async () => {
  database = await createTestDatabase();
  const timing = { create: 100, start: 100, boot: 300 };
  simulator = await startSimulator({ listen: { socketPath: join(root, 'incus.socket') }, timing });
  simulator.plant({ ...names, imageAliases: ['berth-debian-12'] });
  a = await startReplica('a');
  b = await startReplica('b', a);
  c = await startReplica('c', a);
  ({ token } = a);
});

after(async () => {
  for (const name of ['a', 'b', 'c', 'stranger']) await removeService(join(root, name));
  await simulator.close();
  await database.close();
  rmSync(root, { recursive: true, force: true });
});

interface Answer {
  status: number;
  body: { id: number; status: string; operation_id: number };
}

async function call(service: Service, method: string, path: string, more: object = {}) {
  const {
    body,
    prefer,
    bearer = token,
  } = more as {
    body?: object;
    prefer?: string;
    bearer?: string;
  };
  const headers = {
    authorization: `Bearer ${bearer}`,
    ...(body && { 'content-type': 'application/json' }),
    ...(prefer && { prefer }),
  };
  const init = { method, headers, body: body ? JSON.stringify(body) : null };
  const response = await fetch(`${service.url}/v1${path}`, init);
  return { status: response.status, body: await response.json() } as Answer;
}

function create(service: Service, more: object = {}, prefer?: string) {
  const body = {
    name: 'replicated',
    location_id: 1,
    os_id: 1,
    password: 'correct horse',
    initialCommands: ['echo ran >> /root/ran'],
    cpu: 1,
    ram: 256,
    disk: 2,
    ...more,
  };
  return call(service, 'POST', '/servers', { body, prefer });
}

test('a request that one accepts is shown, waited for and completed by any of them', async () => {
  const made = await Promise.all([a, b, c, a].map((service) => create(service, {}, 'wait=60')));
  for (const { status, body } of made) {
    assert.deepEqual([status, body.status], [201, 'started']);
    for (const service of [a, b, c]) {
      assert.equal((await call(service, 'GET', `/servers/${body.id}`)).body.status, 'started');
    }
  }
  const { rows } = await database.pool.query(
    'select count(distinct ip)::int as ips, count(*)::int as held from addresses',
  );
  assert.deepEqual(rows, [{ ips: 8, held: 8 }]);
});

test('each reports its reconcilers, and one of them also those of the location', async () => {
  const told = async () => {
    const { rows } = await database.pool.query<{ reconciler: string; services: number }>(
      `select reconciler, count(distinct service)::int as services from reconciler_statuses
       where outcome = 'succeeded' group by 1`,
    );
    return new Map(rows.map(({ reconciler, services }) => [reconciler, services]));
  };
  const ofAll = ['records', 'expired-credentials', 'service-addresses', 'usage-history'];
  const own = [...ofAll, 'reconciler-statuses', 'due-operations', 'locations'];
  const isAllTold = (seen: Map<string, number>) =>
    own.every((name) => seen.get(name) === 3) && seen.get('instances') === 1;
  await until('each has reported its reconcilers', told, isAllTold);
});

test('a revoked token is soon invalid at all of them', async (t) => {
  const tokens = toolOn(database.connectionString, 'token');
  const { stdout } = await tokens('create', '--name', 'both', '--scopes', 'servers:read');
  const bearer = stdout.trim();
  const asked = (service: Service) => call(service, 'GET', '/servers', { bearer });
  for (const service of [a, b, c]) assert.equal((await asked(service)).status, 200);
  const id = /^(\d+) +both/m.exec((await tokens('list')).stdout)?.[1] ?? '';
  assert.equal((await tokens('revoke', id)).code, 0);
  const revokedAt = performance.now();
  for (const service of [a, b, c]) {
    const refused = ({ status }: Answer) => status === 401;
    await until('the token is refused', () => asked(service), refused);
  }
  t.diagnostic(`refused by all after ${Math.round(performance.now() - revokedAt)} ms`);
});

test('a service with another encryption key does not start', async () => {
  await assert.rejects(startReplica('stranger'));
  const log = readFileSync(serviceLog(join(root, 'stranger')), 'utf8');
  assert.match(log, /is not the key.*Copy secret-key/s);
});

/** How many locations each of these services leads. */
async function led(services: Service[], bearer: string): Promise<number[]> {
  const shares = services.map(async ({ url }) => {
    const answer = await fetch(`${url}/metrics`, {
      headers: { authorization: `Bearer ${bearer}` },
    });
    return Number(/^berth_locations_led (\d+)$/m.exec(await answer.text())?.[1]);
  });
  return await Promise.all(shares);
}

test('each leads its share of the locations, and the others take over those of a killed one', async () => {
  for (const at of [2, 3, 4, 5, 6]) {
    const project = `replicas-${at}`;
    simulator.plant({ ...names, project, imageAliases: [] });
    await database.pool.query(
      `insert into locations (name, description, engine, incus_project, storage_pool, network,
         max_cpu, max_ram_mb, max_disk_gb)
       select $1, '', engine, $1, storage_pool, network, max_cpu, max_ram_mb, max_disk_gb
       from locations where id = 1`,
      [project],
    );
  }
  const tokens = toolOn(database.connectionString, 'token');
  const made = await tokens('create', '--name', 'metrics', '--scopes', 'metrics:read');
  const bearer = made.stdout.trim();
  await eventually(async () => assert.deepEqual(await led([a, b, c], bearer), [2, 2, 2]));
  await stopService(c.directory, 'SIGKILL');
  await eventually(async () => assert.deepEqual(await led([a, b], bearer), [3, 3]));
  c = await startReplica('c');
  await eventually(async () => assert.deepEqual(await led([a, b, c], bearer), [2, 2, 2]));
  const { rows } = await database.pool.query('select name from locations where not reachable');
  assert.deepEqual(rows, []);
});

test('when one is killed during its operations, the others take over', async () => {
  const commands = { initialCommands: ['sleep 4', 'echo ran >> /root/ran'] };
  const made = await Promise.all([1, 2, 3, 4].map(() => create(a, commands)));
  await until('a worker runs the operations', leasesHeld, ({ length }) => length > 0);
  await stopService(a.directory, 'SIGKILL');
  const look = () => Promise.all(made.map(({ body }) => call(b, 'GET', `/servers/${body.id}`)));
  const areStarted = (seen: Answer[]) => seen.every(({ body }) => body.status === 'started');
  await until('all are ready', look, areStarted, takenOverSeconds);
  a = await startReplica('a');
  const again = await call(b, 'POST', `/servers/${made[0]?.body.id}/restart`, {
    prefer: 'wait=60',
  });
  assert.equal(again.status, 202);
});

async function leasesHeld(): Promise<unknown[]> {
  const sql = 'select id from operations where lease_until > now() and finished_at is null';
  return (await database.pool.query(sql)).rows;
}

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  dataDirectory,
  removeService,
  type Service,
  serviceLog,
  startService,
} from '../e2e/service.ts';
import { type Simulator, startSimulator } from '../incus-sim/src/simulator.ts';
import { selfSigned } from '../service/src/incus/test-server.ts';
import { createTestDatabase, type TestDatabase } from '../service/src/testing/postgres.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';
import { toolOn } from '../service/src/testing/tool.ts';
import { eventually, until } from '../service/src/testing/until.ts';

// Tests two services without a local Incus, and a cluster that is reached at two addresses.

const names = { project: 'berth', pool: 'berth', network: 'berthbr0' };
const root = temporaryDirectory('locations');
let database: TestDatabase;
let simulator: Simulator;
let services: Service[];
let location: ReturnType<typeof toolOn>;
let headers: Record<string, string>;

async function startReplica(name: string, beside?: Service): Promise<Service> {
  return await startService({
    directory: join(root, name),
    beside,
    socketPath: join(root, 'no-incus.socket'),
    names,
    databaseUrl: database.connectionString,
    env: { BERTH_LOCAL: 'false' },
  });
}

before(async () => {
  database = await createTestDatabase();
  const own = selfSigned(join(root, 'server'));
  simulator = await startSimulator({ listen: own, alsoListen: [own], members: ['a', 'b'] });
  const urls = [simulator.url, ...simulator.otherUrls];
  for (const [at, member] of [...simulator.model.members.values()].entries()) {
    member.address = new URL(urls[at] ?? '').host;
  }
  simulator.plant({ ...names, imageAliases: ['berth-debian-12'] });
  const first = await startReplica('one');
  services = [first, await startReplica('two', first)];
  headers = { authorization: `Bearer ${first.token}`, 'content-type': 'application/json' };
  location = toolOn(database.connectionString, 'location', '', {
    BERTH_DATA_DIR: dataDirectory(first.directory),
  });
});

after(async () => {
  for (const name of ['one', 'two']) await removeService(join(root, name));
  await simulator.close();
  await database.close();
  rmSync(root, { recursive: true, force: true });
});

interface Named {
  id: number;
  name: string;
  reachable: boolean;
}

async function ask<Body = Named[]>(service: Service | undefined, path: string) {
  const response = await fetch(`${service?.url}/v1${path}`, { headers });
  return { status: response.status, body: (await response.json()) as Body };
}

async function create(name: string) {
  const body = { name, location_id: 1, os_id: 1, password: 'correct horse', initialCommands: [] };
  const response = await fetch(`${services[0]?.url}/v1/servers`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...body, cpu: 1, ram: 256, disk: 2 }),
  });
  const { id } = (await response.json()) as { id: number };
  return { code: response.status, id };
}

async function startsAll(label: string, count: number): Promise<void> {
  const creates = Array.from({ length: count }, (_, at) => create(`${label}-${at}`));
  for (const { code, id } of await Promise.all(creates)) {
    assert.equal(code, 201);
    await eventually(async () => {
      const { body } = await ask<{ status: string }>(services[0], `/servers/${id}`);
      assert.equal(body.status, 'started');
    });
  }
}

test('services without a location start, and use one that is added while they run', async () => {
  for (const service of services) {
    const health = await ask(service, '/health');
    assert.deepEqual([health.status, (await ask(service, '/locations')).body], [200, []]);
  }
  const added = await location('add', 'far', '--token', simulator.issueToken('berth'));
  assert.equal(added.code, 0, added.stderr);
  // The simulator reports these resources.
  assert.match(added.stderr, /Note: Incus 6\.0\.4 has known vulnerabilities.*update to/);
  await eventually(async () => {
    const [far] = (await ask(services[1], '/locations')).body;
    assert.deepEqual([far?.name, far?.reachable], ['far', true]);
  });
  await eventually(async () => {
    const logs = services.map(({ directory }) => readFileSync(serviceLog(directory), 'utf8'));
    const warned =
      logs.join('').match(/"msg":"Incus 6\.0\.4 has known vulnerabilities[^"]*"/g) ?? [];
    assert.equal(new Set(warned).size, 1);
  });
  await startsAll('first', 3);
});

test('creates continue at another address of the location when one is gone', async () => {
  const [other = ''] = simulator.otherUrls;
  await simulator.setListening(simulator.url, false);
  await startsAll('without-one', 3);
  await simulator.setListening(simulator.url, true);
  await simulator.setListening(other, false);
  await startsAll('without-the-other', 3);
  await simulator.setListening(other, true);
  await eventually(async () => {
    const [far] = (await ask(services[0], '/locations')).body;
    assert.equal(far?.reachable, true);
  });
});

/** A request for no specific member; those for a member go to its own address. */
const ofAnyMember = /^GET \/1\.0$/;
const ofInstances = /^POST |^GET \/1\.0\/instances\?/;

test('an address that accepts requests and never answers is no longer used once this is detected', async () => {
  const [other = ''] = simulator.otherUrls;
  const states = (...wanted: string[]) =>
    eventually(async () => {
      const { body } = await ask<{ state: string }[]>(services[0], '/nodes');
      assert.deepEqual(
        body.map(({ state }) => state),
        wanted,
      );
    });
  for (const url of [simulator.url, other]) {
    await states('online', 'online');
    simulator.setSilent(url, true);
    // The silent member must be shown as offline, so that no server is created on it.
    await (url === other ? states('online', 'offline') : states('offline', 'online'));
    // Each service detects this separately, by a call that times out. Here it is that of the health check.
    for (const service of services) {
      await eventually(async () => {
        // The result of a health check is cached for a second.
        await sleep(1100);
        const before = simulator.unanswered(ofAnyMember);
        await ask(service, '/health');
        assert.equal(simulator.unanswered(ofAnyMember), before);
      });
    }
    // An address is tried in turn again 30 s after it was detected, which a busy machine may need for its creates.
    let attempts = 0;
    let seconds = 0;
    const createsWithout = async () => {
      const [before, begun] = [simulator.unanswered(ofInstances), performance.now()];
      attempts += 1;
      await startsAll(`silent-${new URL(url).port}-${attempts}`, 2);
      seconds = (performance.now() - begun) / 1000;
      return simulator.unanswered(ofInstances) - before;
    };
    const wasAvoided = (requests: number) => {
      assert.ok(requests === 0 || seconds > 20, `${requests} requests within ${seconds} s`);
      return requests === 0;
    };
    await until('no create uses it', createsWithout, wasAvoided, 200);
    simulator.setSilent(url, false);
  }
  assert.ok(simulator.unanswered(ofAnyMember) > 0, 'the silent addresses got requests');
});

test('a removed location is no longer known', async () => {
  const refused = await location('remove', 'far', '--yes');
  assert.match(refused.stderr, /far has \d+ servers/);
  const { body } = await ask(services[0], '/servers');
  for (const { id } of body) {
    await fetch(`${services[0]?.url}/v1/servers/${id}`, {
      method: 'DELETE',
      headers: { authorization: headers.authorization ?? '' },
    });
  }
  await eventually(async () => assert.deepEqual((await ask(services[0], '/servers')).body, []));
  const removed = await location('remove', 'far', '--yes');
  assert.equal(removed.code, 0, removed.stderr);
  for (const service of services) {
    assert.deepEqual((await ask(service, '/locations')).body, []);
    assert.deepEqual((await ask(service, '/nodes')).body, []);
    assert.equal((await ask(service, '/locations/1')).status, 404);
  }
  await eventually(async () => {
    for (const service of services) {
      const { body: health } = await ask<{ checks: Named[] }>(service, '/health');
      assert.deepEqual(
        health.checks.map(({ name }) => name),
        ['database'],
      );
    }
  });
});

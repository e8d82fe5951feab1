import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { databaseTime } from '../../db/queries.ts';
import { forgetDrift } from '../../drift/drift.ts';
import { listDrift } from '../../drift/queries.ts';
import { driftView } from '../../drift/view.ts';
import type { IncusClient } from '../../incus/client.ts';
import type { Instance } from '../../incus/instances.ts';
import { EngineError } from '../../incus/transport/errors.ts';
import { probeName } from '../../instances/helpers.ts';
import { instanceName } from '../../instances/labels.ts';
import { requireLocation } from '../../locations/queries.ts';
import { keptLog } from '../../testing/canaries.ts';
import { installation } from '../../testing/fixtures.ts';
import { createTestDatabase } from '../../testing/postgres.ts';
import { enterServer } from '../../testing/servers.ts';
import { syncForeignInstances } from './foreign.ts';

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const location = await requireLocation(db, place.locationId);
const { log, lines } = keptLog('warn');
const { signal } = new AbortController();

/** What Incus has, by the name of the project; an error if it can't be read. */
const projects = new Map<string, Instance[] | Error>();
const features: Record<string, string> = {};

const client = {
  projects: {
    async get(name: string, options: object) {
      assert.deepEqual(options, { signal });
      return projects.has(name) ? { name, config: features } : null;
    },
  },
  inProject: (name: string) => ({
    instances: {
      async list(options: object) {
        assert.deepEqual(options, { signal });
        const found = projects.get(name);
        if (found instanceof Error) throw found;
        return found;
      },
      getState: async () => ({
        network: { eth0: { addresses: [{ address: '10.9.0.70', scope: 'global' }] } },
      }),
    },
  }),
} as unknown as IncusClient;

const swept = { db, client, log, location, locationId: place.locationId, signal };
const ours = 'us';
const sweep = async () => await syncForeignInstances(swept, ours, await databaseTime(db));

function instance(name: string, project: string, config: Record<string, string> = {}): Instance {
  return {
    ...{ name, project, type: 'container', status: 'Running', location: 'none', profiles: [] },
    config: {
      ...{ 'limits.cpu': '2', 'limits.memory': '1GiB' },
      ...{ 'volatile.eth0.hwaddr': '10:66:6a:00:00:70', ...config },
    },
    devices: {
      root: { type: 'disk', path: '/', pool: location.storage_pool, size: '3GiB' },
      eth0: { type: 'nic', network: location.network },
    },
  } as unknown as Instance;
}

const adoptFrom = async (...names: string[]) =>
  void (await db.updateTable('locations').set({ adopt_from: names }).execute());

const listed = async (forgotten = false) => {
  const rows = await listDrift(db, { kind: ['foreign_instance'], forgotten }).page(undefined, 100);
  return rows.map(driftView);
};
const names = async () =>
  (await listed()).map((one) => `${one.incus_project}/${one.instance}`).sort();

beforeEach(async () => {
  await db.deleteFrom('drift').execute();
  await adoptFrom();
  projects.clear();
  delete features['features.networks'];
  lines.length = 0;
});

test('the instances of a project are listed from the first sweep on, once it is named', async () => {
  projects.set('default', [instance('web', 'default')]);
  await sweep();
  assert.deepEqual(await listed(), []);
  await adoptFrom('default');
  await sweep();
  const [{ id, since, differences, ...web }, ...others] = (await listed()) as [
    Awaited<ReturnType<typeof listed>>[number],
  ];
  assert.deepEqual(
    [web, others],
    [
      {
        ...{ kind: 'foreign_instance', location_id: place.locationId, location: 'test' },
        ...{ node: 'node-1', instance: 'web', incus_project: 'default', server_id: null },
        ...{ project_id: null, forgotten: false },
        adoptable: {
          ...{ cpu: 2, ram: 1024, disk: 3, ip_addresses: ['10.9.0.70'], obstacles: [] },
        },
      },
      [],
    ],
  );
  assert.deepEqual(differences, [{ path: 'instance', expected: null, found: 'web', since }]);
  const version = async () => (await sql`select xmin::text from drift`.execute(db)).rows;
  const written = await version();
  await sweep();
  assert.deepEqual(
    (await listed()).map((one) => [one.id, one.since]),
    [[id, since]],
  );
  assert.deepEqual(await version(), written, 'nothing is written');
});

test('what is there follows Incus, also with one name in two projects, until it is named no more', async () => {
  projects.set('a', [instance('web', 'a'), instance('db', 'a')]);
  projects.set('b', [instance('web', 'b')]);
  await adoptFrom('a', 'b');
  await sweep();
  assert.deepEqual(await names(), ['a/db', 'a/web', 'b/web']);
  projects.set('a', [instance('web', 'a', { 'limits.cpu': '4' })]);
  await sweep();
  assert.deepEqual(await names(), ['a/web', 'b/web']);
  const web = (await listed()).find((one) => one.incus_project === 'a');
  assert.equal(web?.adoptable?.cpu, 4);
  await adoptFrom('b');
  await sweep();
  assert.deepEqual(await names(), ['b/web']);
  await adoptFrom();
  await sweep();
  assert.deepEqual(await names(), []);
});

test('what is forgotten stays forgotten', async () => {
  projects.set('a', [instance('web', 'a')]);
  await adoptFrom('a');
  await sweep();
  const [web] = await listed();
  await db.transaction().execute((trx) => forgetDrift(trx, web?.id ?? 0));
  projects.set('a', [instance('web', 'a', { 'limits.cpu': '4' })]);
  await sweep();
  assert.deepEqual(await listed(), []);
  assert.equal((await listed(true))[0]?.adoptable?.cpu, 4);
});

test('a project that does not exist or can not be read is logged, and what is known of the latter stays', async () => {
  projects.set('a', [instance('web', 'a')]);
  projects.set('b', [instance('web', 'b')]);
  await adoptFrom('a', 'b');
  await sweep();
  projects.set('a', new EngineError('forbidden', 'not authorized'));
  projects.delete('b');
  await sweep();
  assert.deepEqual(await names(), ['a/web']);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).project),
    ['a', 'b'],
  );
  const silent = { ...instance('web', 'a'), status: 'Error', config: {}, devices: {} };
  projects.set('a', [silent]);
  await sweep();
  assert.equal((await listed())[0]?.adoptable?.cpu, 2, 'its node does not answer');
});

test('an error of Berth itself ends a sweep', async () => {
  projects.set('a', new TypeError('Of ours.'));
  await adoptFrom('a');
  await assert.rejects(sweep(), /Of ours/);
});

test('a network of the project, and the label of another Berth, are obstacles', async () => {
  const labels = {
    'user.berth.installation': 'them',
    'user.berth.server': crypto.randomUUID(),
  };
  projects.set('a', [instance('web', 'a', labels)]);
  features['features.networks'] = 'true';
  await adoptFrom('a');
  await sweep();
  assert.deepEqual((await listed())[0]?.adoptable?.obstacles, [
    'Its network is one of the Incus project a, and not that of the location.',
    'It belongs to another installation of Berth. If not, remove user.berth.installation.',
  ]);
  projects.set('default', [instance('web', 'default')]);
  await adoptFrom('default');
  await sweep();
  assert.deepEqual((await listed())[0]?.adoptable?.obstacles, [], 'its networks are those of all');
});

test('the instances of servers, a helper, and one that is being adopted, are not listed', async () => {
  const other = await enterServer(db, place);
  const { uuid } = await db
    .selectFrom('servers')
    .select('uuid')
    .where('id', '=', other)
    .executeTakeFirstOrThrow();
  const helper = instance(probeName(place.nodeId, 'test'), 'a');
  const at = { created_at: new Date().toISOString() };
  const server = instance(instanceName(uuid), 'a');
  projects.set('a', [server, { ...helper, ...at }, instance('web', 'a')]);
  await adoptFrom('a');
  const id = await enterServer(db, place, { status: 'creating', operation: 'adopt' });
  const state = JSON.stringify({ instance: 'web', project: 'a', lost: [] });
  await db.updateTable('operations').set({ state }).where('server_id', '=', id).execute();
  await sweep();
  assert.deepEqual(await names(), []);
  const failed = { finished_at: new Date(), status: 'failed' } as const;
  await db.updateTable('operations').set(failed).where('server_id', '=', id).execute();
  await sweep();
  assert.deepEqual(await names(), ['a/web']);
  const again = { finished_at: null, status: 'running' } as const;
  await db.updateTable('operations').set(again).where('server_id', '=', id).execute();
  await sweep();
  assert.deepEqual(await names(), [], 'one that was listed is not, either');
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { exportDatabase } from '../service/src/db/export/export.ts';
import { importDatabase } from '../service/src/db/export/import.ts';
import { createEmptyDatabase } from '../service/src/testing/postgres.ts';
import { serverBody } from '../service/src/testing/servers.ts';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

// Tests an export from yesterday with the engine of today: the records are older than the
// instances.

const quiet = { of: () => () => undefined };
const directory = mkdtempSync(join(tmpdir(), 'restore-'));
const file = join(directory, 'yesterday.gz');
const open = new AsyncDisposableStack();
open.defer(() => rmSync(directory, { recursive: true, force: true }));
after(() => open.disposeAsync());

let restored: Laboratory;
/** Servers of today, which are not in the records, and one that was being created yesterday. */
const today: { name: string; ip: string }[] = [];
let unfinished: number;
let removed: number;
let refusedFirst: unknown;
let healthFirst: string[];

async function addressOf({ database: { db } }: Laboratory, serverId: number): Promise<string> {
  const query = db.selectFrom('addresses').select('ip').where('server_id', '=', serverId);
  return (await query.where('is_primary', '=', true).executeTakeFirstOrThrow()).ip;
}

async function created(laboratory: Laboratory, name: string): Promise<number> {
  const { serverId, operation } = await laboratory.create(name);
  assert.equal((await laboratory.ended(operation.id)).status, 'succeeded');
  return serverId;
}

async function deleted(laboratory: Laboratory, serverId: number): Promise<void> {
  const { id } = await laboratory.request(serverId, 'delete');
  assert.equal((await laboratory.ended(id)).status, 'succeeded');
}

before(async () => {
  const first = await openLaboratory({ leavesEngine: true });
  const { simulator, database } = first;
  open.defer(async () => {
    await simulator.close();
    rmSync(dirname(simulator.socketPath), { recursive: true, force: true });
  });
  const { db } = database;
  removed = await created(first, 'removed-today');
  simulator.faults.guest('*', { neverBoots: true });
  const half = await first.create('half-made-yesterday');
  unfinished = half.serverId;
  await eventually(async () => {
    const name = (await first.server(unfinished)).name;
    assert.equal((await first.client.instances.get(name))?.status, 'Running');
  });
  const lastTaken = await db.selectFrom('address_pools').select(['id', 'last_taken']).execute();
  await exportDatabase(database.connectionString, file, quiet);
  // Today, the server that was being created has been deleted, and others have its address and the next ones.
  simulator.faults.guest('*', {});
  const ofHalf = await addressOf(first, unfinished);
  await deleted(first, unfinished);
  await deleted(first, removed);
  for (const { id } of lastTaken) {
    await db.updateTable('address_pools').set({ last_taken: null }).where('id', '=', id).execute();
  }
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) {
    const id = await created(first, name);
    today.push({ name: (await first.server(id)).name, ip: await addressOf(first, id) });
  }
  assert.ok(
    today.some(({ ip }) => ip === ofHalf),
    'no instance has the address of the unfinished server',
  );
  await first.close();

  const imported = await createEmptyDatabase();
  open.defer(imported.close);
  await importDatabase(imported.connectionString, file, quiet);
  const ofEngine = { simulator, database: imported };
  // The engine has not been read yet.
  restored = await openLaboratory({ goOn: ofEngine, workers: 0, watches: false });
  const body = serverBody(restored.place);
  const refused = await restored.post('/servers', undefined, body);
  refusedFirst = [refused.statusCode, refused.json().code, refused.headers['retry-after']];
  const { checks } = (await restored.ask('/health')) as { checks: { detail: string }[] };
  healthFirst = checks.map(({ detail }) => detail);
  await restored.close();
  restored = await openLaboratory({ goOn: ofEngine });
  open.defer(() => restored.close());
});

test('no server is created before the instances were compared with the restored records', () => {
  assert.deepEqual(refusedFirst, [503, 'unavailable', '10']);
  assert.ok(
    healthFirst.some((detail) =>
      /accepts no new servers until its instances have been compared/.test(detail),
    ),
  );
});

test('then new servers get addresses that no instance has', async () => {
  await eventually(async () => {
    const { db } = restored.database;
    const place = await db.selectFrom('locations').select('instances_known').executeTakeFirst();
    assert.equal(place?.instances_known, true);
  });
  for (const name of ['new-1', 'new-2', 'new-3']) {
    const ip = await addressOf(restored, await created(restored, name));
    assert.ok(!today.some((one) => one.ip === ip), `${ip} is used by an instance`);
  }
});

test('an unfinished create whose address is in use fails at once, with advice', async () => {
  const { db } = restored.database;
  const operations = db.selectFrom('operations').select('id');
  const ofIt = operations.where('server_id', '=', unfinished).where('kind', '=', 'create');
  const { id } = await ofIt.executeTakeFirstOrThrow();
  const { status, error } = await restored.ended(id);
  assert.equal(status, 'failed');
  assert.equal(error?.code, 'address_in_use');
  assert.match(
    error?.message ?? '',
    /Another instance in the engine has its address 10\.9\.0\.\d+\./,
  );
  assert.doesNotMatch(error?.message ?? '', /srv-/);
});

test('the health and the pools report unknown instances', async () => {
  const health = (await restored.ask('/health')) as { checks: { name: string; detail: string }[] };
  const check = health.checks.find(({ name }) => name === 'location test');
  assert.match(
    check?.detail ?? '',
    /^4 instances belong to no server in the records; .*"berth drift list" \(GET \/v1\/drift\) shows them/,
  );
  const pools = (await restored.ask('/address-pools')) as unknown as {
    reserved: { ip: string; instance: string }[];
  }[];
  const ofInstances = pools.flatMap(({ reserved }) => reserved);
  for (const { name, ip } of today) {
    assert.ok(
      ofInstances.some((one) => one.ip === ip && one.instance === name),
      ip,
    );
  }
  assert.match(await restored.metrics(), /^berth_instances_unknown\{location="test"\} 4$/m);
});

test('a server that was deleted after the backup is in error, because it no longer exists', async () => {
  await eventually(async () => {
    const { status, error } = await restored.server(removed);
    assert.deepEqual([status, error?.includes('no longer exists')], ['error', true]);
  });
});

test('an address is free again once its instance is gone', async () => {
  const [{ name, ip } = { name: '', ip: '' }] = today;
  restored.simulator.administrator.delete('berth', name);
  restored.simulator.cutEvents();
  await eventually(async () => {
    const held = await restored.database.db
      .selectFrom('reserved_addresses')
      .select('ip')
      .where('ip', '=', ip)
      .execute();
    assert.deepEqual(held, []);
  });
});

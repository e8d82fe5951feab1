import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { anotherLocation, installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { chooseAddresses } from './addresses.ts';
import { findPool } from './pool-queries.ts';
import { holdAddresses } from './queries.ts';
import {
  addressHeldByUnknown,
  countUnknownInstances,
  enterUnknownInstances,
  type UnknownInstance,
  withoutServer,
} from './unknown-queries.ts';

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const here = place.locationId;
const there = await anotherLocation(db);
await sql`update locations set instances_known = false`.execute(db);

const enter = (locationId: number, unknown: UnknownInstance[]) =>
  db.transaction().execute((trx) => enterUnknownInstances(trx, locationId, unknown));

/** The recorded instances and locations, and the transactions that wrote their rows. */
async function known() {
  const instances = await sql<{ row: unknown; written: string }>`
    select json_build_array(location_id, name, is_ours, array(
      select host(ip) from reserved_addresses where instance_id = unknown_instances.id order by ip
    )) as row, xmin::text as written from unknown_instances order by location_id, name`.execute(db);
  const locations = await sql<{ known: boolean; written: string }>`
    select instances_known as known, xmin::text as written from locations order by id`.execute(db);
  return {
    instances: instances.rows.map(({ row }) => row),
    locations: locations.rows.map((row) => row.known),
    written: [...instances.rows, ...locations.rows].map(({ written }) => written),
  };
}

const ours = { name: 'a', isOurs: true, addresses: ['10.9.0.5', 'fd00:9::5'] };
const theirs = { name: 'b', isOurs: false, addresses: ['10.9.0.6', '10.8.0.6', '10.7.0.6'] };

test('the unknown instances of a location are recorded, and those of another one are not changed', async () => {
  await enter(there, [{ name: 'a', isOurs: true, addresses: ['10.8.0.3', '10.8.0.4'] }]);
  const elsewhere = [there, 'a', true, ['10.8.0.3', '10.8.0.4']];
  assert.deepEqual((await known()).locations, [false, true]);
  const { found } = await enter(here, [ours, theirs]);
  assert.deepEqual(found, ['a', 'b'], 'also one with the name of one elsewhere');
  const both = await known();
  const entered = [
    [here, 'a', true, ['10.9.0.5', 'fd00:9::5']],
    [here, 'b', false, ['10.9.0.6']],
  ];
  assert.deepEqual(
    [both.instances, both.locations],
    [
      [...entered, elsewhere],
      [true, true],
    ],
  );
  assert.deepEqual(
    [await countUnknownInstances(db, here), await countUnknownInstances(db, there)],
    [1, 1],
  );

  await enter(here, [ours, theirs]);
  assert.deepEqual(await known(), both, 'unchanged rows are not written again');

  await enter(here, [{ ...ours, isOurs: false, addresses: ['10.9.0.7'] }]);
  assert.deepEqual((await known()).instances, [[here, 'a', false, ['10.9.0.7']], elsewhere]);
  assert.equal(await countUnknownInstances(db, here), 0);
  await enter(here, []);
  assert.deepEqual((await known()).instances, [elsewhere]);
});

test('a pool shows its reserved addresses in their order, with the instances', async () => {
  const pools = db.selectFrom('address_pools').select('id').where('location_id', '=', here);
  const { id } = await pools.orderBy('id').executeTakeFirstOrThrow();
  const reserved = ['10.9.0.7', '10.9.0.5', '10.9.0.6'];
  await enter(here, []);
  await enter(here, [
    { ...ours, addresses: reserved },
    { ...theirs, addresses: ['10.9.0.4', '10.8.0.6'] },
  ]);
  assert.deepEqual((await findPool(db, id))?.reserved, [
    { ip: '10.9.0.4', instance: 'b' },
    { ip: '10.9.0.5', instance: 'a' },
    { ip: '10.9.0.6', instance: 'a' },
    { ip: '10.9.0.7', instance: 'a' },
  ]);
});

test('the instances of a location are known when all of their addresses are', async () => {
  await sql`update locations set instances_known = false`.execute(db);
  await enter(here, [ours, { ...theirs, addresses: null }]);
  assert.deepEqual((await known()).locations, [false, false]);
  await enter(here, [{ ...ours, addresses: null }, theirs]);
  const { instances, locations } = await known();
  assert.deepEqual(locations, [false, false]);
  assert.deepEqual(instances.slice(0, 2), [
    [here, 'a', true, ['10.9.0.5', 'fd00:9::5']],
    [here, 'b', false, ['10.9.0.6']],
  ]);
  await enter(here, [ours, theirs]);
  assert.deepEqual((await known()).locations, [true, false]);
});

test('an address of a server that an unknown instance uses is found, with the instance', async () => {
  await enter(here, []);
  const [mine, other] = [await enterServer(db, place), await enterServer(db, place)];
  for (const id of [other, mine]) {
    await db.transaction().execute(async (trx) => {
      const { addresses } = await chooseAddresses(trx, here);
      await holdAddresses(trx, id, addresses);
    });
  }
  const held = await sql<{ ip: string }>`select host(ip) as ip from addresses
    where server_id = ${mine} and is_primary`.execute(db);
  const ip = held.rows[0]?.ip ?? '';
  await enter(here, [{ name: 'x', isOurs: true, addresses: [ip] }]);
  assert.deepEqual(await addressHeldByUnknown(db, mine), { ip, instance: 'x' });
  assert.equal(await addressHeldByUnknown(db, other), undefined);
});

test('a UUID belongs to no server if there is none, or if it was deleted', async () => {
  const [alive, gone] = [await enterServer(db, place), await enterServer(db, place)];
  await db.updateTable('servers').set({ deleted_at: new Date() }).where('id', '=', gone).execute();
  const uuids = db.selectFrom('servers').select('uuid').where('id', 'in', [alive, gone]);
  const [one, two] = (await uuids.orderBy('id').execute()).map(({ uuid }) => uuid);
  assert.ok(one && two);
  const unknown = '6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10';
  assert.deepEqual(await withoutServer(db, [one, two, unknown]), new Set([two, unknown]));
  assert.deepEqual(await withoutServer(db, []), new Set());
});

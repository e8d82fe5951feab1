import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Project } from '../db/project.ts';
import { insertPool, retireOtherPools } from '../locations/queries.ts';
import { insertServer } from '../servers/queries.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { chooseAddresses } from './addresses.ts';
import { holdAddresses, releaseAddresses } from './queries.ts';

const poolSize = 5;
let database: TestDatabase;
let place: Installation;

before(async () => {
  database = await createTestDatabase();
  place = await installation(database.db, { addresses: poolSize });
});

after(() => database.close());

async function take(): Promise<{ serverId: number; ips: string[] }> {
  return await database.db.transaction().execute(async (trx) => {
    const { addresses: chosen } = await chooseAddresses(trx, place.locationId);
    const serverId = await insertServer(new Project(trx, place.projectId), {
      ...place,
      uuid: randomUUID(),
      hostname: 'test',
      mac: randomUUID(),
      cpu: 1,
      ramMb: 256,
      diskGb: 2,
      trafficAllowance: null,
    });
    await holdAddresses(trx, serverId, chosen);
    return { serverId, ips: chosen.map(({ ip }) => ip) };
  });
}

const release = (serverId: number) =>
  database.db.transaction().execute((trx) => releaseAddresses(trx, serverId));

test('concurrent servers get an address of each family, and none is assigned twice', async () => {
  const taken = await Promise.all(Array.from({ length: poolSize }, take));
  assert.deepEqual(taken.map(({ ips }) => ips[0]).toSorted(), [
    '10.9.0.2',
    '10.9.0.3',
    '10.9.0.4',
    '10.9.0.5',
    '10.9.0.6',
  ]);
  assert.equal(new Set(taken.map(({ ips }) => ips[1])).size, poolSize);

  await assert.rejects(take(), { code: 'no_address_left' });
  const held = await database.db.selectFrom('addresses').select('ip').execute();
  assert.equal(held.length, 2 * poolSize, 'the refused create reserved no address');

  // Released addresses are not reused at once: the search continues after the last assigned address.
  await release(taken[1]?.serverId ?? 0);
  await release(taken[3]?.serverId ?? 0);
  const free = [taken[1], taken[3]].map((server) => server?.ips[0]).toSorted();
  const again = [await take(), await take()];
  assert.deepEqual(again.map(({ ips }) => ips[0]).toSorted(), free);
});

test('the gateway is never assigned to a server, in any position', async () => {
  const { db } = database;
  const held = await db.selectFrom('addresses').select('server_id').distinct().execute();
  for (const { server_id } of held) await release(server_id);
  const ipv4 = db.updateTable('address_pools').where('cidr', '=', '10.9.0.0/24');
  await ipv4.set({ gateway: '10.9.0.4', last_taken: null }).execute();
  const taken = [];
  for (let count = 1; count < poolSize; count += 1) taken.push(await take());
  assert.deepEqual(
    taken.map(({ ips }) => ips[0]),
    ['10.9.0.2', '10.9.0.3', '10.9.0.5', '10.9.0.6'],
  );
  await assert.rejects(take(), { code: 'no_address_left' });
});

test('a pool that was removed from the location assigns no more addresses', async () => {
  const { db } = database;
  const { locationId } = place;
  const pool = (net: string) => {
    const [gateway, first, last] = [`${net}.1`, `${net}.2`, `${net}.6`];
    return { cidr: `${net}.0/24`, gateway, nameservers: [gateway], first, last };
  };
  const enabled = async () => {
    const rows = await db.selectFrom('address_pools').select(['cidr', 'enabled']).execute();
    return rows.filter((row) => row.enabled).map((row) => row.cidr);
  };
  await db.transaction().execute(async (trx) => {
    await insertPool(trx, locationId, pool('10.10.0'));
    await retireOtherPools(trx, locationId, ['10.10.0.0/24']);
  });
  assert.deepEqual(
    await enabled(),
    ['10.10.0.0/24'],
    'a pool with addresses in use remains, and is disabled',
  );
  assert.deepEqual((await take()).ips, ['10.10.0.2']);
  await db.transaction().execute(async (trx) => {
    await insertPool(trx, locationId, pool('10.9.0'));
    await retireOtherPools(trx, locationId, ['10.9.0.0/24']);
  });
  assert.deepEqual(await enabled(), ['10.9.0.0/24']);
});

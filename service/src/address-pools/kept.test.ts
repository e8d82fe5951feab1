import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { anotherLocation, installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { keepAddresses } from './addresses.ts';
import { holdAddresses } from './queries.ts';
import { enterUnknownInstances } from './unknown-queries.ts';

// The location has the pools 10.9.0.0/24 and fd00:9::/64, with the gateways .1 and ::1, and another one has 10.8.0.0/24.

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { locationId } = place;
await anotherLocation(db);
const pools = db.selectFrom('address_pools').select('id').where('location_id', '=', locationId);
const [ipv4 = 0, ipv6 = 0] = (await pools.orderBy('id').execute()).map(({ id }) => id);
const serverId = await enterServer(db, place);

beforeEach(async () => {
  await sql`delete from addresses`.execute(db);
  await sql`delete from unknown_instances`.execute(db);
});

const keep = (ips: string[], holder: string | null = null) =>
  db.transaction().execute((trx) => keepAddresses(trx, locationId, { holder, ips }));

const hold = (ip: string, poolId: number) =>
  db
    .transaction()
    .execute((trx) => holdAddresses(trx, serverId, [{ ip, poolId, isPrimary: true }]));

const reserve = (instance: string, ...addresses: string[]) =>
  db.transaction().execute(async (trx) => {
    await enterUnknownInstances(trx, locationId, [{ name: instance, isOurs: false, addresses }]);
  });

test('the first address of each family that is in a pool of the location is kept, even if the pool is disabled', async () => {
  const disabled = (isSo: boolean) => db.updateTable('address_pools').set({ enabled: !isSo });
  await disabled(true).execute();
  const elsewhere = ['fe80::9', '10.8.0.7', '10.7.0.7', '10.9.0.1', 'fd00:9::1'];
  const others = ['10.9.0.8', 'fd00:9::8'];
  assert.deepEqual(await keep([...elsewhere, 'FD00:9:0::7', '10.9.0.9', ...others]), {
    addresses: [
      { ip: '10.9.0.9', poolId: ipv4, isPrimary: true },
      { ip: 'fd00:9::7', poolId: ipv6, isPrimary: false },
    ],
    lost: [...elsewhere, ...others],
    taken: undefined,
  });
  assert.deepEqual(await keep(['fd00:9::7']), {
    addresses: [{ ip: 'fd00:9::7', poolId: ipv6, isPrimary: true }],
    lost: [],
    taken: undefined,
  });
  const nothing = { addresses: [], taken: undefined };
  assert.deepEqual(await keep(elsewhere), { ...nothing, lost: elsewhere });
  assert.deepEqual(await keep([]), { ...nothing, lost: [] });
  await disabled(false).execute();
});

test('an address that a server or another instance has is taken, and only one that would be kept counts', async () => {
  await hold('10.9.0.7', ipv4);
  await reserve('web', 'fd00:9::7', '10.9.0.8');
  const takenOf = async (ips: string[], holder?: string) => (await keep(ips, holder)).taken;
  const byServer = { ip: '10.9.0.7', holder: `The server ${serverId}` };
  const byInstance = (ip: string) => ({
    ip,
    holder: 'The instance web in the Incus project of the location',
  });
  assert.deepEqual(await takenOf(['fd00:9::7', '10.9.0.7']), byServer, 'the primary one is named');
  assert.deepEqual(await takenOf(['10.9.0.7'], 'web'), byServer);
  assert.deepEqual(await takenOf(['fd00:9::7']), byInstance('fd00:9::7'));
  assert.deepEqual(await takenOf(['10.9.0.9', 'fd00:9::7'], 'mail'), byInstance('fd00:9::7'));
  assert.equal(await takenOf(['10.9.0.8', 'fd00:9::7'], 'web'), undefined, 'it has them itself');
  assert.equal(await takenOf(['10.9.0.9', '10.9.0.7', '10.9.0.8']), undefined);
});

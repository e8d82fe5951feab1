import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { AddressPoolCreate } from '@berth/contract/address-pools';
import { sql } from 'kysely';
import type { Trx } from '../db/connection.ts';
import { unknownLocation } from '../locations/locations.ts';
import { retireOtherPools } from '../locations/queries.ts';
import { Problem } from '../problems/problem.ts';
import { anotherLocation, installation } from '../testing/fixtures.ts';
import { amid } from '../testing/locks.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { chooseAddresses, requireFreeAddresses } from './addresses.ts';
import { findPool, listPools, lockPool, networkOfPool } from './pool-queries.ts';
import { changePool, createPool, removePool } from './pools.ts';
import { holdAddresses, lockPools, releaseAddresses } from './queries.ts';

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { locationId } = place;
const another = await anotherLocation(db);
const first = await enterServer(db, place);
const second = await enterServer(db, place);

beforeEach(async () => {
  await sql`delete from addresses`.execute(db);
  await sql`delete from unknown_instances`.execute(db);
  await sql`delete from address_pools`.execute(db);
  await sql`update locations set network_kind = 'bridge', network_subnets = null`.execute(db);
});

const within = <T>(work: (trx: Trx) => Promise<T>) => db.transaction().execute(work);
const add = (cidr: string, gateway: string, more: Partial<AddressPoolCreate> = {}) =>
  within((trx) => createPool(trx, { location_id: locationId, cidr, gateway, ...more }));

/** The errors of a refused request, or its code; undefined if it was not refused. */
async function refusal(work: Promise<unknown>) {
  return await work.then(
    () => undefined,
    (error: unknown) => {
      assert.ok(error instanceof Problem, String(error));
      return error.errors ?? [error.code, error.message];
    },
  );
}

test('a pool has the given values, and defaults for all others', async () => {
  const one = await add('192.0.2.0/30', '192.0.2.1');
  const common = { location_id: locationId, held: 0, reserved: [] };
  assert.deepEqual(one, {
    ...{ ...common, id: one.id, cidr: '192.0.2.0/30', gateway: '192.0.2.1', enabled: true },
    ...{ nameservers: ['192.0.2.1'], first: '192.0.2.1', last: '192.0.2.2' },
  });
  const given = {
    ...{ nameservers: ['9.9.9.9', '2620:fe::fe'], first: 'fd01::20', last: 'fd01::30' },
    enabled: false,
  };
  const other = await add('fd01::/64', 'fd01::1', given);
  const expected = { ...common, id: other.id, cidr: 'fd01::/64', gateway: 'fd01::1', ...given };
  assert.deepEqual(other, expected);
  const smallest = await add('fd02::/126', 'fd02::1', { location_id: another, nameservers: [] });
  assert.deepEqual(
    [smallest.location_id, smallest.first, smallest.last, smallest.nameservers],
    [another, 'fd02::1', 'fd02::2', []],
  );
  const all = await listPools(db, {}).page(undefined, 10);
  assert.deepEqual(all, [one, other, smallest]);
  assert.deepEqual(await listPools(db, { location_id: [another] }).page(undefined, 10), [smallest]);
  // This happens when the network has other subnets.
  await within((trx) => retireOtherPools(trx, locationId, []));
  assert.deepEqual(await listPools(db, {}).page(undefined, 10), all, 'they are kept');
});

test('each malformed or misplaced value is an error at its place', async () => {
  const subnet = { pointer: '/cidr', detail: 'Must be a subnet, such as 203.0.113.0/24.' };
  const good = { cidr: '198.51.100.0/24', gateway: '198.51.100.1' };
  const field = (name: string, detail: string) => ({ pointer: `/${name}`, detail });
  const ipv4 = (name: string) => field(name, 'Must be an IPv4 address of 198.51.100.0/24.');
  const outside = (name: string) => field(name, 'Must lie within 198.51.100.0/24.');
  const cases: [body: Partial<AddressPoolCreate>, errors: object[]][] = [
    [{ cidr: '198.51.100.0/31' }, [subnet]],
    [{ cidr: 'fd01::/127', gateway: 'fd01::1' }, [subnet]],
    [{ cidr: '198.51.100.0/024' }, [subnet]],
    [{ cidr: '198.51.100/24', location_id: 999 }, [subnet, unknownLocation(999)]],
    [{ cidr: '127.0.0.0/8' }, [field('cidr', 'No server can have an address of this subnet.')]],
    [
      { gateway: 'fd00::1', first: '1.2.3', last: 'fd00::2', nameservers: ['9.9.9.9', 'x', 'y'] },
      [
        ...[ipv4('gateway'), ipv4('first'), ipv4('last')],
        field('nameservers/1', 'Must be an IP address.'),
        field('nameservers/2', 'Must be an IP address.'),
      ],
    ],
    [
      { cidr: 'FD01::/64', gateway: '198.51.100.1' },
      [field('gateway', 'Must be an IPv6 address of FD01::/64.')],
    ],
    [
      { gateway: '198.51.101.1', first: '10.0.0.1', last: '198.51.101.9' },
      [outside('gateway'), outside('first'), outside('last')],
    ],
    [{ gateway: '198.51.101.1' }, [outside('gateway')]],
    [
      { cidr: '198.51.100.7/24' },
      [field('cidr', '198.51.100.7/24 is not the start of a subnet. Write 198.51.100.0/24.')],
    ],
    [
      { first: '198.51.100.9', last: '198.51.100.8' },
      [field('last', 'Must not come before 198.51.100.9.')],
    ],
  ];
  for (const [body, errors] of cases) {
    const more = { ...good, ...body };
    assert.deepEqual(await refusal(add(more.cidr, more.gateway, more)), errors);
  }
  assert.equal(await refusal(add('FD01::/64', 'fd01::1')), undefined);
  const one = { first: '198.51.100.9', last: '198.51.100.9' };
  assert.equal(await refusal(add(good.cidr, good.gateway, one)), undefined);
  const { id } = await db
    .selectFrom('address_pools')
    .select('id')
    .where('cidr', '=', good.cidr)
    .executeTakeFirstOrThrow();
  assert.deepEqual(await refusal(add('198.51.100.128/25', '198.51.100.129')), [
    'address_pool_overlaps',
    `198.51.100.128/25 overlaps the pool with the id ${id}: 198.51.100.0/24, with the addresses 198.51.100.9 to 198.51.100.9.`,
  ]);
});

const network = (kind: string, subnets: string[] | null) =>
  sql`update locations set network_kind = ${kind}, network_subnets = ${subnets}::cidr[]
      where id = ${locationId}`.execute(db);

test('a pool must lie in a subnet of a managed network, of its family', async () => {
  await sql`update locations set network_kind = 'ovn', network_subnets = '{}'
            where id = ${another}`.execute(db);
  const [inside, outside, ipv6] = ['10.60.1.0/24', '10.61.0.0/24', 'fd77::/64'];
  const two = ['10.60.0.0/16', '10.62.0.0/16', 'fd78::/64'];
  const lies = (networks: string) =>
    `The pool must lie within the subnet of the network berthbr0: ${networks}.`;
  const cases: [kind: string, subnets: string[] | null, cidr: string, error?: string][] = [
    ['bridge', two, inside],
    ['bridge', two, outside, lies('10.60.0.0/16 or 10.62.0.0/16')],
    ['ovn', two, ipv6, lies('fd78::/64')],
    ['bridge', ['10.60.0.0/16'], ipv6],
    ['ovn', ['10.60.0.0/16'], ipv6, 'The network berthbr0 has no IPv6 subnet.'],
    ['ovn', ['fd78::/64'], outside, 'The network berthbr0 has no IPv4 subnet.'],
    ['ovn', null, outside],
    ['unmanaged', ['10.60.0.0/16'], outside],
  ];
  for (const [kind, subnets, cidr, detail] of cases) {
    await sql`delete from address_pools`.execute(db);
    await network(kind, subnets);
    const gateway = cidr.includes(':') ? 'fd77::1' : cidr.replace('.0/24', '.1');
    const expected = detail === undefined ? undefined : [{ pointer: '/cidr', detail }];
    assert.deepEqual(await refusal(add(cidr, gateway)), expected, `${kind} ${subnets} ${cidr}`);
  }
  await assert.rejects(
    within((trx) => networkOfPool(trx, 0, inside)),
    { message: 'There is no location 0.' },
  );
});

test('a pool can be enabled only within its network, and can always be disabled', async () => {
  const pool = await add('10.61.0.0/24', '10.61.0.1');
  const other = await add('10.62.0.0/24', '10.62.0.1');
  const set = (enabled?: boolean) =>
    within((trx) => changePool(trx, pool.id, enabled === undefined ? {} : { enabled }));
  await network('bridge', ['10.60.0.0/16']);
  assert.deepEqual(await set(), pool);
  assert.deepEqual(await set(false), { ...pool, enabled: false });
  const detail = 'The pool must lie within the subnet of the network berthbr0: 10.60.0.0/16.';
  assert.deepEqual(await refusal(set(true)), [{ pointer: '/enabled', detail }]);
  assert.deepEqual(await set(), { ...pool, enabled: false });
  assert.deepEqual(await findPool(db, other.id), other);
  await network('bridge', null);
  assert.deepEqual(await set(true), pool);
  const none = within((trx) => changePool(trx, 999, { enabled: true }));
  const missing = ['address_pool_not_found', 'No address pool has the id 999.'];
  assert.deepEqual(await refusal(none), missing);
  assert.deepEqual(await refusal(within((trx) => removePool(trx, 999))), missing);
});

test('a pool is removed without affecting others, and only if no server has addresses of it', async () => {
  const pool = await add('192.0.2.0/29', '192.0.2.1');
  const other = await add('192.0.3.0/29', '192.0.3.1');
  const hold = (serverId: number, ip: string) =>
    within((trx) => holdAddresses(trx, serverId, [{ ip, poolId: pool.id, isPrimary: true }]));
  const remove = () => within((trx) => removePool(trx, pool.id));
  const inUse = (number: string) => [
    'address_pool_in_use',
    `Servers have ${number} of the pool 192.0.2.0/29. Disable the pool, and delete it when these servers are gone.`,
  ];
  await hold(first, '192.0.2.2');
  assert.deepEqual(await refusal(remove()), inUse('1 address'));
  await hold(second, '192.0.2.3');
  assert.deepEqual(await refusal(remove()), inUse('2 addresses'));
  const helds = (await listPools(db, {}).page(undefined, 10)).map(({ held }) => held);
  assert.deepEqual(helds, [2, 0]);
  await within((trx) => releaseAddresses(trx, first));
  const left = await db.selectFrom('addresses').select('server_id').execute();
  assert.deepEqual(left, [{ server_id: second }]);
  await within((trx) => releaseAddresses(trx, second));
  assert.deepEqual(await remove(), pool);
  assert.deepEqual(await listPools(db, {}).page(undefined, 10), [other]);
});

test('a server gets an address of each family, of the first pool that has one', async () => {
  const small = await add('192.0.2.0/30', '192.0.2.1');
  const large = await add('192.0.3.0/29', '192.0.3.1');
  const ipv6 = await add('fd01::/64', 'fd01::1');
  await add('192.0.4.0/29', '192.0.4.1', { enabled: false });
  await add('192.0.5.0/29', '192.0.5.1', { location_id: another });
  const choose = () => within((trx) => chooseAddresses(trx, locationId));
  const early = () => requireFreeAddresses(db, locationId);
  const refusals = async () => {
    const [problem, same] = [await refusal(choose()), await refusal(early())];
    assert.deepEqual(same, problem, 'without a lock it is the same');
    return problem;
  };
  // An updated row is read last, so the order of rows is not that of ids.
  await sql`update address_pools set enabled = enabled where id = ${small.id}`.execute(db);
  const chosen = await choose();
  assert.deepEqual(chosen, {
    addresses: [
      { ip: '192.0.2.2', poolId: small.id, isPrimary: true },
      { ip: 'fd01::2', poolId: ipv6.id, isPrimary: false },
    ],
    warnings: [],
  });
  assert.equal(await early(), 2);
  await within((trx) => holdAddresses(trx, first, chosen.addresses));
  const held = await sql`select host(ip) as ip, pool_id, server_id, is_primary from addresses
                         order by is_primary desc`.execute(db);
  assert.deepEqual(held.rows, [
    { ip: '192.0.2.2', pool_id: small.id, server_id: first, is_primary: true },
    { ip: 'fd01::2', pool_id: ipv6.id, server_id: first, is_primary: false },
  ]);
  const taken = await sql`select id, host(last_taken) as ip from address_pools
                          where last_taken is not null order by id`.execute(db);
  assert.deepEqual(taken.rows, [
    { id: small.id, ip: '192.0.2.2' },
    { id: ipv6.id, ip: 'fd01::2' },
  ]);
  assert.deepEqual((await choose()).addresses, [
    { ip: '192.0.3.2', poolId: large.id, isPrimary: true },
    { ip: 'fd01::3', poolId: ipv6.id, isPrimary: false },
  ]);
  assert.equal(await early(), 2);

  await within((trx) => changePool(trx, large.id, { enabled: false }));
  assert.deepEqual(await refusals(), [
    'no_address_left',
    'Every IPv4 address of this location is in use. Delete a server, choose another location, or ask for a larger address pool.',
  ]);
  await within((trx) => changePool(trx, small.id, { enabled: false }));
  assert.deepEqual(await choose(), {
    addresses: [{ ip: 'fd01::3', poolId: ipv6.id, isPrimary: true }],
    warnings: [
      'All IPv4 address pools of this location are disabled, so the server has no IPv4 address.',
    ],
  });
  assert.equal(await early(), 1);
  await within((trx) => changePool(trx, ipv6.id, { enabled: false }));
  const wayOut = 'Choose another location, or ask an administrator.';
  assert.deepEqual(await refusals(), [
    'no_address_left',
    `All address pools of this location are disabled. ${wayOut}`,
  ]);
  await sql`delete from addresses`.execute(db);
  await sql`delete from address_pools where location_id = ${locationId}`.execute(db);
  assert.deepEqual(await refusals(), [
    'no_address_left',
    `This location has no address pool. ${wayOut}`,
  ]);
});

test('assigning addresses of a pool, and removing it, wait for each other', async () => {
  const pool = await add('192.0.2.0/29', '192.0.2.1');
  const other = await add('192.0.3.0/29', '192.0.3.1', { location_id: another });
  const held = (id: number) =>
    within(async (trx) => {
      const row = sql`select id from address_pools where id = ${id} for update nowait`;
      return await row.execute(trx).then(
        () => false,
        () => true,
      );
    }).catch(() => true);
  for (const lock of [
    (trx: Trx) => lockPool(trx, pool.id),
    (trx: Trx) => lockPools(trx, locationId),
  ]) {
    const seen = await within(async (trx) => {
      await lock(trx);
      return [await held(pool.id), await held(other.id)];
    });
    assert.deepEqual(seen, [true, false]);
  }
  const removed = await amid(
    db,
    async (trx) => {
      const { addresses } = await chooseAddresses(trx, locationId);
      await holdAddresses(trx, first, addresses);
    },
    () => refusal(within((trx) => removePool(trx, pool.id))),
  );
  assert.equal((removed as string[])[0], 'address_pool_in_use');
});

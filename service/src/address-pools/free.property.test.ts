import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { Trx } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { rolledBack } from '../db/transaction.ts';
import { insertServer } from '../servers/queries.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { requireFreeAddresses } from './addresses.ts';
import { findFreeAddress, freeFrom, lockPools } from './queries.ts';
import '../testing/fixed-seed.ts';

let database: TestDatabase;
let place: Installation;
let serverId: number;

before(async () => {
  database = await createTestDatabase();
  const { db } = database;
  place = await installation(db);
  await db.deleteFrom('address_pools').execute();
  serverId = await db.transaction().execute((trx) =>
    insertServer(new Project(trx, place.projectId), {
      ...place,
      uuid: randomUUID(),
      hostname: 'test',
      mac: randomUUID(),
      cpu: 1,
      ramMb: 256,
      diskGb: 2,
      trafficAllowance: null,
    }),
  );
});

after(() => database.close());

/** A pool. Addresses are numbers, relative to its subnet. */
interface Pool {
  family: 4 | 6;
  /** The number of addresses of the subnet. */
  size: number;
  gateway: number;
  first: number;
  last: number;
  held: number[];
  /** Addresses of instances without a server. */
  strange: number[];
  lastTaken: number | undefined;
}

const text = (family: 4 | 6, number: number) =>
  family === 4 ? `10.9.${number >> 8}.${number & 255}` : `fd00:9::${number.toString(16)}`;

async function enter(trx: Trx, pool: Pool): Promise<void> {
  const ip = (number: number) => text(pool.family, number);
  const bits = (pool.family === 4 ? 32 : 128) - Math.log2(pool.size);
  const { id } = await trx
    .insertInto('address_pools')
    .values({
      location_id: place.locationId,
      cidr: `${ip(0)}/${bits}`,
      gateway: ip(pool.gateway),
      nameservers: [],
      first: ip(pool.first),
      last: ip(pool.last),
      last_taken: pool.lastTaken === undefined ? null : ip(pool.lastTaken),
      is_of_network: false,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const isStrange = (number: number) => pool.strange.includes(number);
  const ofServers = pool.held.filter((number) => !isStrange(number));
  await sql`insert into addresses (ip, pool_id, server_id, is_primary)
    select unnest(${ofServers.map(ip)}::inet[]), ${id}, ${serverId}, false`.execute(trx);
  await sql`
    with instance as (
      insert into unknown_instances (location_id, name, is_ours)
      values (${place.locationId}, 'strange', true) returning id
    )
    insert into reserved_addresses (ip, pool_id, instance_id)
    select unnest(${pool.held.filter(isStrange).map(ip)}::inet[]), ${id}, id from instance`.execute(
    trx,
  );
}

async function found(pool: Pool): Promise<string | undefined> {
  return await rolledBack(database.db, async (trx) => {
    await enter(trx, pool);
    const [row] = await lockPools(trx, place.locationId);
    assert.ok(row);
    const ip = await findFreeAddress(trx, row);
    const isThere = requireFreeAddresses(trx, place.locationId).then(
      () => true,
      () => false,
    );
    assert.equal(await isThere, ip !== undefined, 'the same without a lock');
    return ip;
  });
}

/** The expected result: the lowest free address after the last assigned one, or else the lowest free address. */
function expected({ family, size, gateway, first, last, held, lastTaken }: Pool) {
  const edges = family === 4 ? [0, size - 1] : [0];
  const inRange = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const free = inRange.filter((ip) => ![gateway, ...edges, ...held].includes(ip));
  const next = free.find((ip) => lastTaken !== undefined && ip > lastTaken) ?? free[0];
  return next === undefined ? undefined : text(family, next);
}

const pools: fc.Arbitrary<Pool> = fc.constantFrom(4, 8, 16, 32).chain((size) => {
  const number = fc.nat(size - 1);
  return fc
    .record({
      family: fc.constantFrom<4 | 6>(4, 6),
      gateway: number,
      ends: fc.tuple(number, number),
      // Most addresses are in use, so that the gap is often next to the gateway or an edge.
      free: fc.uniqueArray(number, { maxLength: 4 }),
      strange: fc.uniqueArray(number),
      taken: fc.option(number, { nil: undefined }),
    })
    .map(({ family, gateway, ends, free, strange, taken }) => {
      const [first, last] = [Math.min(...ends), Math.max(...ends)];
      const all = Array.from({ length: size }, (_, index) => index);
      const held = all.filter((ip) => ip !== gateway && !free.includes(ip));
      const lastTaken = taken === undefined ? taken : Math.min(Math.max(taken, first), last);
      return { family, size, gateway, first, last, held, strange, lastTaken };
    });
});

test('a free address is found if there is one, whichever addresses are in use and wherever the gateway is', async () => {
  await fc.assert(
    fc.asyncProperty(pools, async (pool) => assert.equal(await found(pool), expected(pool))),
    { numRuns: 200 },
  );
});

test('with the gateway inside the range and everything below it taken, an address above it is found', async () => {
  const pool = {
    ...{ size: 16, gateway: 4, first: 2, last: 14, held: [2, 3], strange: [] },
    lastTaken: undefined,
  };
  for (const family of [4, 6] as const) {
    assert.equal(await found({ ...pool, family }), text(family, 5));
  }
});

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Returns how many rows of addresses in use a search reads. */
async function rowsRead(trx: Trx, from: 'next' | 'first'): Promise<number> {
  const [pool] = await lockPools(trx, place.locationId);
  assert.ok(pool);
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
    explain (analyze, format json) ${freeFrom(pool, pool[from])}`.execute(trx);
  const read = (plan: Plan): number =>
    (plan['Relation Name'] === 'addresses'
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : 0) + (plan.Plans ?? []).reduce((sum, each) => sum + read(each), 0);
  const [row] = rows;
  assert.ok(row);
  return read(row['QUERY PLAN'][0].Plan);
}

test('a search reads addresses in use only up to the first gap, however large the pool is', async () => {
  const many = 10_000;
  const held = Array.from({ length: many }, (_, index) => index + 2).filter((ip) => ip !== 100);
  const sizes = { size: 2 ** 14, gateway: 1, first: 2, last: 2 ** 14 - 2, held, strange: [] };
  for (const family of [4, 6] as const) {
    await rolledBack(database.db, async (trx) => {
      await enter(trx, { ...sizes, family, lastTaken: many + 1 });
      await sql`analyze addresses`.execute(trx);
      assert.ok((await rowsRead(trx, 'next')) <= 1);
      assert.ok((await rowsRead(trx, 'first')) <= 300);
    });
  }
});

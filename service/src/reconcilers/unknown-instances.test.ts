import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import type { Instance } from '../incus/instances.ts';
import { keptLog } from '../testing/canaries.ts';
import { installation } from '../testing/fixtures.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { syncUnknownInstances } from './unknown-instances.ts';

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);
const { log, lines } = keptLog();
const found: string[] = [];
const subject = {
  ...{ db, log, locationId: place.locationId, location: { name: 'local' } },
  found: (finding: string) => void found.push(finding),
};

/** What was logged since, and at which level. */
const told = () =>
  lines
    .splice(0)
    .map((line) => JSON.parse(line))
    .map(({ level, location, instance: name, msg }) => [level, location, name, msg]);

interface Wanted {
  config?: Record<string, string>;
  devices?: Record<string, Record<string, string>>;
  status?: string;
}

const instance = (name: string, { config = {}, devices = {}, status = 'Running' }: Wanted = {}) =>
  ({ name, config, devices, status }) as Instance;

const card = (ipv4: string, ipv6?: string) => ({
  eth0: { type: 'nic', 'ipv4.address': ipv4, ...(ipv6 && { 'ipv6.address': ipv6 }) },
  root: { type: 'disk', path: '/' },
});

/** Enters these, and answers what is known then. */
async function entered(...instances: Instance[]) {
  await syncUnknownInstances(subject, 'us', instances);
  const { rows } = await sql<{ name: string; is_ours: boolean; held: string[] }>`
    select name, is_ours, array(
      select host(ip) from reserved_addresses where instance_id = unknown_instances.id order by ip
    ) as held from unknown_instances order by name`.execute(db);
  return rows.map(({ name, is_ours, held }) => [name, is_ours, held]);
}

async function uuidOf(id: number): Promise<string> {
  const query = db.selectFrom('servers').select('uuid').where('id', '=', id);
  return (await query.executeTakeFirstOrThrow()).uuid;
}

async function isKnown(): Promise<boolean> {
  const query = db.selectFrom('locations').select('instances_known');
  return (await query.executeTakeFirstOrThrow()).instances_known;
}

beforeEach(async () => {
  [lines.length, found.length] = [0, 0];
  await sql`delete from unknown_instances`.execute(db);
  await sql`update locations set instances_known = false`.execute(db);
});

test('an instance of no server is entered, with whose it is and the addresses of its card', async () => {
  const ours = { 'user.berth.installation': 'us' };
  const seen = await entered(
    instance('a', { config: ours, devices: card('10.9.0.5', 'fd00:9::5') }),
    instance('b', { config: { 'user.berth.installation': 'them' }, devices: card('10.9.0.6') }),
    instance('c', { devices: card('10.8.0.7') }),
  );
  assert.deepEqual(seen, [
    ['a', true, ['10.9.0.5', 'fd00:9::5']],
    ['b', false, ['10.9.0.6']],
    ['c', false, []],
  ]);
  assert.equal(await isKnown(), true);
});

test('those of servers are not, by their name or their label; those of deleted ones are', async () => {
  const lives = await uuidOf(await enterServer(db, place));
  const goneId = await enterServer(db, place);
  const gone = await uuidOf(goneId);
  await db
    .updateTable('servers')
    .set({ deleted_at: new Date() })
    .where('id', '=', goneId)
    .execute();
  const seen = await entered(
    instance(`srv-${lives}`),
    instance('renamed', { config: { 'user.berth.server': lives } }),
    instance(`srv-${gone}`),
  );
  assert.deepEqual(seen, [[`srv-${gone}`, false, []]]);
});

test('one that tries what a kernel can do, or unpacks an image, is none of them, unless it was left', async () => {
  const ours = { 'user.berth.installation': 'us' };
  const helpers = [
    instance('berth-probe-1-incoming', { devices: card('10.9.0.5') }),
    instance('berth-unpack-1', { config: ours }),
  ];
  const minutesAgo = (minutes: number) =>
    helpers.map((one) => ({
      ...one,
      created_at: new Date(Date.now() - minutes * 60_000).toISOString(),
    }));
  assert.deepEqual(await entered(...minutesAgo(15)), []);
  const left = [
    ['berth-probe-1-incoming', false, ['10.9.0.5']],
    ['berth-unpack-1', true, []],
  ];
  assert.deepEqual(told(), []);
  assert.deepEqual(await entered(...minutesAgo(25)), left);
  assert.deepEqual(
    told().map(([, , name]) => name),
    ['berth-probe-1-incoming', 'berth-unpack-1'],
  );
  // A member that does not answer tells no time.
  assert.deepEqual(await entered(...helpers), left);
  const [, named] = minutesAgo(0);
  assert.deepEqual(await entered({ ...named, name: 'berth-unpack-me' } as Instance), [
    ['berth-unpack-me', true, []],
  ]);
});

test('what its system was told to use is held, too, but for what is no address', async () => {
  const told = '{"addresses": ["10.9.0.8/24", "fd00:9::8/64", "10.9.0.8/24", "::::/64"]}';
  const config = { 'cloud-init.network-config': told };
  const devices = { ...card('10.9.0.9'), eth1: { type: 'nic', 'ipv4.address': 'none' } };
  const seen = await entered(instance('a', { config, devices }));
  assert.deepEqual(seen, [['a', false, ['10.9.0.8', '10.9.0.9', 'fd00:9::8']]]);
});

test('where its node does not tell what was known stays, and the rest is not known', async () => {
  const devices = card('10.9.0.5');
  const held = [['a', false, ['10.9.0.5']]];
  assert.deepEqual(await entered(instance('a', { devices })), held);
  await sql`update locations set instances_known = false`.execute(db);
  assert.deepEqual(await entered(instance('a', { status: 'Error' })), held);
  assert.equal(await isKnown(), false);
  // A broken one whose node tells, and a whole one without devices, have told all.
  assert.deepEqual(await entered(instance('a', { status: 'Error', devices })), held);
  assert.equal(await isKnown(), true);
  assert.deepEqual(await entered(instance('a')), [['a', false, []]]);
  assert.deepEqual(await entered(), []);
});

test('one is logged when it is new and when it is gone, and not in each round or by another service', async () => {
  const isNew = 'An instance belongs to no server. Its addresses are reserved; it was not changed.';
  const isGone = 'An instance that belonged to no server is gone.';
  const ours = instance(`srv-${crypto.randomUUID()}`, {
    config: { 'user.berth.installation': 'us' },
  });
  await entered(ours, instance('theirs'));
  assert.deepEqual(told(), [
    ['warn', 'local', ours.name, isNew],
    ['info', 'local', 'theirs', isNew],
  ]);
  // What is known is in the records, so that a service that takes over knows it.
  for (let round = 0; round < 3; round += 1) await entered(ours, instance('theirs'));
  assert.deepEqual(told(), []);
  await entered(instance('theirs'));
  assert.deepEqual(told(), [['warn', 'local', ours.name, isGone]]);
  await entered(ours);
  assert.deepEqual(told(), [
    ['warn', 'local', ours.name, isNew],
    ['info', 'local', 'theirs', isGone],
  ]);
  assert.deepEqual(found, ['instance_unknown', 'instance_unknown']);
  await entered();
  await syncUnknownInstances({ ...subject, found: undefined }, 'us', [ours]);
  assert.deepEqual(
    told().map(([, , , words]) => words),
    [isGone, isNew],
  );
});

test('one of a deleted server, which is about to be removed, is logged neither way', async () => {
  const id = await enterServer(db, place);
  const uuid = await uuidOf(id);
  await db.updateTable('servers').set({ deleted_at: new Date() }).where('id', '=', id).execute();
  await entered(instance(`srv-${uuid}`, { config: { 'user.berth.installation': 'us' } }));
  await entered();
  assert.deepEqual([told(), found], [[], []]);
});
